package accessfile

const openFlags = 0
