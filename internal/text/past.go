package text

// AsksPast reports whether a question asks for what was, rather than for what holds: "what did we use before",
// "which port was it originally".
func AsksPast(question string) (asks bool) {
	var before, last string
	Scan(question, func(t Token) {
		switch t.Word {
		case "did", "was", "were", "had", "ever", "ago", "before", "earlier", "first", "initially", "original",
			"originally", "formerly", "previous", "previously", "history", "old":
			asks = true
		case "to": // not "is used to"
			asks = asks || last == "used" && before != "is" && before != "are"
		}
		before, last = last, t.Word
	})
	return asks
}
