package render

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Quoted reports whether a memory is shown as a quotation with its source: nobody who works
// here chose its words, or they read like an order to an agent.
func Quoted(m engram.Memory, n engram.Note) bool {
	_, foreign := sourceOf(m.Origin)
	return foreign || len(n.Suspect) > 0
}

// Source says where a memory that is quoted comes from and since when it is here: "imported, 3
// May 2026", "from a tool (Bash), 3 May 2026".
func Source(m engram.Memory, o Options) string {
	name, _ := sourceOf(m.Origin)
	if tool := Line(m.ToolName, 40); tool != "" && m.Origin == engram.OriginTool {
		name += " (" + Tame(tool) + ")"
	}
	zone := o.Zone
	if zone == nil {
		return name + ", " + m.CreatedAt.UTC().Format("2 January 2006")
	}
	return name + ", " + m.CreatedAt.In(zone).Format("2 January 2006")
}

// Sources says of the memories of one list where they come from: of each kind of source once, for
// in a list of imported memories it would stand under every one. The zero value is ready for use.
type Sources struct{ told map[string]bool }

// Of is what Source says of a memory that is quoted, or "" where an earlier memory of the list
// comes from the same kind of source.
func (s *Sources) Of(m engram.Memory, o Options) string {
	source := Source(m, o)
	name, _, _ := strings.Cut(source, ", ")
	if s.told[name] {
		return ""
	}
	if s.told == nil {
		s.told = map[string]bool{}
	}
	s.told[name] = true
	return source
}

// Mark is what stands in the line of a quoted memory: "quoted, imported, 3 May 2026", and "quoted"
// where that was said.
func (s *Sources) Mark(m engram.Memory, o Options) string {
	if source := s.Of(m, o); source != "" {
		return "quoted, " + source
	}
	return "quoted"
}

// quoteMark opens each line of a quotation, as in Markdown and in mail.
const quoteMark = "> "

// Quote returns s as a quotation: each line opens with a mark, whatever character ends the
// one before, so that none can pass for a heading, for a turn of a conversation or for the
// program's own words; tags that part a conversation are none any more (Tame), and nothing in
// it is hidden (Plain). Lines that have the mark already keep it alone: Quote(Quote(s)) ==
// Quote(s).
func Quote(s string) string {
	lines := strings.Split(breaksAs(Plain(strings.TrimSpace(s)), "\n"), "\n")
	for i, l := range lines {
		if l == strings.TrimSpace(quoteMark) {
			l = ""
		}
		lines[i] = strings.TrimRight(quoteMark+Tame(strings.TrimPrefix(l, quoteMark)), " ")
	}
	return strings.Join(lines, "\n")
}

// QuoteLine is a quotation of one line, between quotation marks; within it there are none.
func QuoteLine(s string) string {
	return "“" + strings.NewReplacer("“", "'", "”", "'").Replace(Tame(Line(s, 0))) + "”"
}

// titleOf is the title of a memory as it stands in a line.
func titleOf(m engram.Memory, n engram.Note) string {
	if Quoted(m, n) {
		return QuoteLine(m.Title)
	}
	return Line(m.Title, 0)
}

// Tame returns s, in which no tag parts a conversation any more: the bracket that opens one is
// written as an entity.
func Tame(s string) string {
	if !strings.ContainsAny(s, "<[") {
		return s
	}
	var b strings.Builder
	from := 0
	for i := range len(s) {
		if s[i] != '<' && s[i] != '[' || !partsConversation(s[i+1:]) {
			continue
		}
		b.WriteString(s[from:i])
		if from = i + 1; s[i] == '<' {
			b.WriteString("&lt;")
		} else {
			b.WriteString("&#91;")
		}
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// partsConversation reports whether what follows an opening bracket makes a tag of it that
// models, and the programs around them, part conversations with.
func partsConversation(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 40)], "/|! \t")
	if colon := strings.IndexByte(rest, ':'); colon >= 0 && colon < 12 { // with a prefix of a name space
		rest = rest[colon+1:]
	}
	rest = strings.ToLower(rest)
	for _, word := range []string{"system", "assistant", "user", "human", "developer", "tool", "function", "invoke", "parameter", "instruction", "instructions", "functions", "im_start", "im_end",
		"inst]", "inst>", "sys>", "admin", "endoftext", "begin_of_text", "start_header", "end_header", "eot", "important", "engram"} {
		if after, is := strings.CutPrefix(rest, word); is && (after == "" || after[0] < 'a' || after[0] > 'z') {
			return true
		}
	}
	return false
}

// suspectMark says why a memory is suspect, beside the others of Marks.
func suspectMark(why []string) string {
	return "suspect: " + strings.Join(why, "; ")
}

// typeOf is the type of a memory as it stands in a line. A type may be any word: one from elsewhere
// that is more than that is a quotation, or it could pass for what the program says of the memory.
func typeOf(m engram.Memory) string {
	name := Line(string(m.Type), 0)
	if _, foreign := sourceOf(m.Origin); !foreign || len(name) <= maxType && !strings.ContainsAny(name, " ,:;<[(") {
		return name
	}
	return QuoteLine(Line(name, maxType))
}

// maxType is the length of a type that is a word.
const maxType = 32
