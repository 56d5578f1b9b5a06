package surface

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// Roles finds turn markers of chat templates and tags of agent harnesses, which make a memory
// look like a turn of the conversation.
//
// A marker in backticks or in the middle of a sentence is a mention. Template markers in a code
// block count, since models read those too. may are the groups that the text may have.
func Roles(text string, may finding.Group, found *finding.Findings) {
	marked := strings.IndexByte(text, '<') >= 0 || strings.IndexByte(text, '[') >= 0
	for at := 0; at < len(text) && marked; {
		i := strings.IndexAny(text[at:], "<[")
		if i < 0 {
			break
		}
		at += i
		n, sure := mark(text[at:])
		if n > 0 && !quoted(text, at, at+n) && (sure && !spokenOf(text, at, at+n) || opensLine(text, at)) {
			found.Add(finding.Role, "contains conversation markers that imitate the system or another turn", at, at+n)
			return
		}
		at++
	}
	if may&finding.Turns != 0 {
		turns(text, found)
	}
	if may&finding.Answers != 0 {
		saysYes(text, found)
	}
}

// mark returns the length of the marker at the beginning of s, 0 without one, and whether it has no other use.
func mark(s string) (n int, sure bool) {
	word := func(i int) string { return finding.Lowered(s[i:min(len(s), i+24)]) }
	switch {
	case strings.HasPrefix(s, "<|"):
		if end := strings.Index(s[:min(len(s), 40)], "|>"); end > 2 && !strings.ContainsAny(s[2:end], " \n") {
			return end + 2, true
		}
	case strings.HasPrefix(s, "[INST]"), strings.HasPrefix(s, "[/INST]"), strings.HasPrefix(s, "<<SYS>>"):
		return 6, true
	case strings.HasPrefix(s, "["):
		for _, w := range []string{"[system]", "[system message]", "[assistant]", "[system prompt]"} {
			if strings.HasPrefix(word(0), w) {
				return len(w), false
			}
		}
	case strings.HasPrefix(s, "<"):
		i := 1
		if strings.HasPrefix(s[1:], "/") {
			i = 2
		}
		for _, w := range []string{"system-reminder>", "system_prompt>", "system-prompt>", "function_calls>", "tool_call>", "tool_result>", "system_message>",
			"start_of_turn>", "end_of_turn>", "important_instructions>", "user_query>"} {
			if strings.HasPrefix(word(i), w) {
				return i + len(w), true
			}
		}
		for _, w := range []string{"system>", "assistant>", "important>", "instructions>", "instruction>", "admin>", "secret>", "developer>"} {
			if strings.HasPrefix(word(i), w) {
				return i + len(w), false
			}
		}
	}
	return 0, false
}

// spokenOf reports a mention: "a template that wraps turns in <|im_end|> tokens".
func spokenOf(text string, from, to int) bool {
	return !opensLine(text, from) && to < len(text) && text[to] == ' ' && !strings.Contains(text[to:], "<")
}

// opensLine reports that only white space and quotation signs precede at on its line.
func opensLine(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return strings.Trim(line, " \t>*-\r") == ""
}

// quoted reports a span in backticks.
func quoted(text string, from, to int) bool {
	const room = 60
	before := text[max(0, from-room):from]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after := text[to:min(len(text), to+room)]
	if end := strings.IndexByte(after, '\n'); end >= 0 {
		after = after[:end]
	}
	return strings.Count(before, "`")%2 == 1 && strings.Contains(after, "`")
}

// saysYes finds a made-up conversation: an agent announces an action and a person agrees in a word or two.
func saysYes(text string, found *finding.Findings) {
	const shortest, longest = 2, 24 // bytes of an answer
	acts, at := false, 0
	for from, line := range finding.Lines(text) {
		name, said, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		said = finding.Lowered(strings.TrimSpace(said))
		switch finding.Lowered(name) {
		case "assistant", "ai", "agent":
			acts, at = finding.AnyOf(said, "i'll ", "i will ", "i am going to ", "shall i ", "i’ll "), from
		case "human", "user":
			if yes := finding.AnyOf(said, "yes", "go on", "go ahead", "proceed", "approved", "do it"); acts && yes && len(said) >= shortest && len(said) <= longest {
				found.Add(finding.Role, "contains a made-up conversation in which a person agrees", at, from+len(line))
				return
			}
			acts = false
		}
	}
}

// systems are who speaks in such lines.
var systems = []string{"system", "system prompt", "system message", "system override", "new instructions", "developer message", "instruction to the assistant"}

// turns finds lines that begin like a turn: "System: you are …", "### Instruction:".
func turns(text string, found *finding.Findings) {
	for from, line := range finding.Lines(text) {
		begin := strings.TrimLeft(line, " \t#>*")
		// The next words distinguish a turn from a heading.
		name, said, ok := strings.Cut(begin[:min(len(begin), 80)], ":")
		if !ok {
			continue
		}
		name = finding.Lowered(strings.TrimSpace(strings.Trim(name, "*")))
		said = finding.Lowered(strings.TrimSpace(strings.Trim(said, "* ")))
		if !finding.OneOf(name, systems...) {
			continue
		}
		for _, w := range []string{"you ", "ignore ", "disregard ", "forget ", "from now", "always ", "never ", "override", "the user ", "execute ", "run ", "new "} {
			if strings.HasPrefix(said, w) {
				found.Add(finding.Role, "a line pretends to come from the system", from, from+len(line))
				return
			}
		}
	}
}
