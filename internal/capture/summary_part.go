package capture

import "strings"

// Summary returns the actual summary in an agent's text. Agents are asked to think first, between
// <analysis> tags or below "Analysis:", and to put the summary between <summary> tags or below
// "Summary:". If there are such marks only the marked summary counts, "" if it is missing; other
// texts are returned trimmed.
//
// Remove private text before, since it may begin in the analysis and end after it.
func Summary(s string) string {
	s = strings.TrimSpace(s)
	thought := false
	if from := lineWith(s, "<analysis>"); from >= 0 {
		thought = true
		before := s[:from]
		_, after, closed := strings.Cut(s[from:], "</analysis>")
		if !closed { // cut off, or not closed by the model
			after = ""
			if at := lineWith(s[from:], "<summary>"); at >= 0 {
				after = s[from:][at:]
			}
		}
		s = strings.TrimSpace(before + "\n" + after)
	}
	if at := lineWith(s, "<summary>"); at >= 0 {
		s = s[at+len("<summary>"):]
		if end := strings.LastIndex(s, "</summary>"); end >= 0 {
			s = s[:end]
		}
		return unlabelled(s)
	}
	if !thought && startsWith(s, "analysis:") {
		at := lineWith(s, "summary:")
		if at < 0 {
			return ""
		}
		s = s[at:]
	}
	return unlabelled(s)
}

func unlabelled(s string) string {
	s = strings.TrimSpace(s)
	if startsWith(s, "summary:") {
		s = s[len("summary:"):]
	}
	return strings.TrimSpace(s)
}

// lineWith returns where the first line begins that starts with mark, in lower case, after white
// space, or -1. In the middle of a line a mark is just mentioned.
func lineWith(s, mark string) int {
	for at := 0; ; {
		bare := strings.TrimLeft(s[at:], " \t\r\n")
		at = len(s) - len(bare)
		if startsWith(bare, mark) {
			return at
		}
		end := strings.IndexByte(bare, '\n')
		if end < 0 {
			return -1
		}
		at += end
	}
}

// startsWith reports whether a text starts with mark, which is in lower-case ASCII.
func startsWith(s, mark string) bool {
	return len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark)
}
