package text

// Asks reports whether a word, in lower case, asks instead of naming a topic: in "what did we
// decide yesterday", decide adds nothing to the other words.
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
