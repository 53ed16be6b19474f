package git

// nonBlocking is nothing here: pipes have no names among the files.
const nonBlocking = 0
