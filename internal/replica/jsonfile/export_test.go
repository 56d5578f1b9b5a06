package jsonfile

// Lists returns the names of the lists of native files.
func Lists() []string { return nativeSections() }
