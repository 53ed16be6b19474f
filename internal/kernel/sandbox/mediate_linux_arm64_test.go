package sandbox

// olderAttributes: this architecture has no older ways.
func olderAttributes() []attribute { return nil }
