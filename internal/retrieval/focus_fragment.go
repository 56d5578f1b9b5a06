package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// maxRead is how many bytes of a memory are searched for a passage.
const maxRead = 64 << 10

// Fragment returns a part of c's text of at most tokens, "" if nothing useful fits: the summary, or
// the passage with most of the asked words if it has more than the summary. A passage is cut at
// paragraphs if one fits, else at sentences, else between words; "…" marks a cut.
func Fragment(c Candidate, asked map[string]bool, tokens int) string {
	if text.Tokens(c.Summary) > tokens {
		c.Summary = ""
	}
	return Excerpt(c, asked, tokens)
}

// Excerpt is Fragment with a summary of any length.
func Excerpt(c Candidate, asked map[string]bool, tokens int) string {
	passage := passage(text.Clip(c.Body, maxRead), len(c.Body) > maxRead, asked, tokens)
	summary := strings.TrimSpace(c.Summary)
	if summary == "" || matches(passage, asked) > matches(summary, asked) {
		return passage
	}
	return summary
}

type span struct{ from, to int }

func passage(s string, more bool, asked map[string]bool, tokens int) string {
	room := 4*tokens - 4 // quarters of a token, without a mark and a blank at either end
	all := sentences(s)
	if room < 1 || len(all) == 0 {
		return ""
	}
	best, most := 0, -1
	for i, at := range all {
		if n := matches(s[at.from:at.to], asked); n > most {
			best, most = i, n
		}
	}
	fits := func(a span) bool { return text.Quarters(s[a.from:a.to]) <= room }
	if !fits(all[best]) {
		return clip(s[all[best].from:all[best].to], room) + " …"
	}
	first, last := paragraph(s, all, best)
	if !fits(span{all[first].from, all[last].to}) {
		first, last = best, best
	}
	for {
		switch {
		case last+1 < len(all) && fits(span{all[first].from, all[last+1].to}):
			last++
		case first > 0 && fits(span{all[first-1].from, all[last].to}):
			first--
		default:
			out := s[all[first].from:all[last].to]
			if first > 0 {
				out = "… " + out
			}
			if last+1 < len(all) || more {
				out += " …"
			}
			return out
		}
	}
}

// paragraph returns the first and last sentence of sentence i's paragraph.
func paragraph(s string, all []span, i int) (first, last int) {
	apart := func(a, b span) bool { return strings.Count(s[a.to:b.from], "\n") > 1 }
	first, last = i, i
	for first > 0 && !apart(all[first-1], all[first]) {
		first--
	}
	for last+1 < len(all) && !apart(all[last], all[last+1]) {
		last++
	}
	return first, last
}

// sentences splits s after sentence marks and at line breaks, without surrounding white space.
func sentences(s string) []span {
	var all []span
	from := 0
	end := func(to int) {
		trimmed := strings.TrimSpace(s[from:to])
		if trimmed != "" {
			start := from + strings.Index(s[from:to], trimmed)
			all = append(all, span{start, start + len(trimmed)})
		}
		from = to
	}
	for i, r := range s {
		next := i + utf8.RuneLen(r)
		switch {
		case r == '\n', strings.ContainsRune("。！？", r):
			end(next)
		case strings.ContainsRune(".!?", r):
			if after, _ := utf8.DecodeRuneInString(s[next:]); next < len(s) && unicode.IsSpace(after) {
				end(next)
			}
		}
	}
	end(len(s))
	return all
}

// clip returns the beginning of s for so many quarters of a token, cut between words if possible.
func clip(s string, room int) string {
	i := text.Within(s, room)
	if blank := strings.LastIndexFunc(s[:i], unicode.IsSpace); blank > i/2 {
		return strings.TrimSpace(s[:blank])
	}
	return s[:i]
}

func matches(s string, asked map[string]bool) int {
	if len(asked) == 0 {
		return 0
	}
	found := map[string]bool{}
	text.Scan(s, func(t text.Token) {
		if word := t.Text(); asked[word] {
			found[word] = true
		}
	})
	return len(found)
}

// AskedWords returns the words of a question by which passages are chosen, with what some of them were read as.
func AskedWords(question string, read ...engram.Repair) map[string]bool {
	words := map[string]bool{}
	add := func(s string) {
		for _, t := range text.Query(s) {
			words[t.Word] = true
		}
	}
	add(question)
	for _, r := range read {
		add(strings.Join(r.Read, " "))
	}
	return words
}
