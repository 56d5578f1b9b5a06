package daemon

import "strings"

// lastLines returns the last non-empty lines of text; cut means that the first line may be
// incomplete.
func lastLines(text string, most int, cut bool) []string {
	if cut {
		_, text, _ = strings.Cut(text, "\n")
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-most):]
}
