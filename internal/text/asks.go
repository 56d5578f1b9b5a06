package text

// Asks reports whether a word, in lower case, asks rather than says what about: in
// "what did we decide yesterday", decide says nothing that the other words do not.
func Asks(word string) bool {
	switch word {
	case "happen", "happened", "happening", "decide", "decided", "decision", "decisions", "show", "list", "tell",
		"save", "saved", "note", "noted", "notes", "learn", "learned", "learnt", "remember", "remembered",
		"memory", "memories", "work", "worked", "discuss", "discussed", "talk", "talked",
		"change", "changed", "changes", "new", "news", "write", "wrote", "written":
		return true
	}
	return false
}
