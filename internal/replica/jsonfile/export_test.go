package jsonfile

// Lists are the names of the lists of native files.
func Lists() []string { return nativeSections() }
