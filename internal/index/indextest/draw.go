package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

func (w *World) projects() []string { return []string{"p0", "p1", "p2", "p3", "p4"} }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// coin makes a word; some are alike, some have digits or other letters.
func (w *World) coin() string {
	if len(w.Words) > 20 && w.r.IntN(4) == 0 {
		like := []byte(pick(w.r, w.Words))
		like[w.r.IntN(len(like))] = "aeiouxz"[w.r.IntN(7)]
		return strings.ToValidUTF8(string(like), "q")
	}
	var b strings.Builder
	for range 1 + w.r.IntN(4) {
		switch w.r.IntN(30) {
		case 0:
			b.WriteString(fmt.Sprint(w.r.IntN(10)))
		case 1:
			b.WriteString("жук")
		}
		b.WriteByte("bcdfgklmnprstvz"[w.r.IntN(15)])
		b.WriteByte("aeiou"[w.r.IntN(5)])
		b.WriteByte("lnrstm"[w.r.IntN(6)])
	}
	return b.String()
}

// word draws a word; the first ones are frequent.
func (w *World) word() string {
	return w.Words[int(float64(len(w.Words))*math.Pow(w.r.Float64(), 2.5))]
}

func (w *World) text(n int) string {
	var words []string
	stops := []string{"the", "of", "and", "is", "not"}
	if w.r.IntN(4) == 0 {
		stops = []string{"der", "von", "und", "ist", "nicht"} // words of such a text have two forms
	}
	for range 1 + w.r.IntN(n) {
		if w.r.IntN(6) == 0 {
			words = append(words, pick(w.r, stops))
		} else {
			words = append(words, w.word())
		}
	}
	return strings.Join(words, " ")
}

// Memory makes a memory that is not saved yet.
func (w *World) Memory() engram.Memory {
	w.made++
	m := engram.Memory{ID: engram.ID(fmt.Sprintf("mem_%026d", w.made)), SyncID: fmt.Sprint("obs-", w.made), Origin: engram.OriginAgent,
		Importance: 0.5, Strength: 1, RevisionCount: 1, DuplicateCount: 1, NormalizedHash: "00", UpdatedAt: minute(0), TouchedAt: minute(0), CreatedAt: minute(w.made)}
	for range 9 {
		w.Change(&m)
	}
	m.Title, m.Content = w.text(5), w.text(20)
	w.newest = strings.Fields(m.Content)
	m.Type, m.Scope = engram.TypeFact, engram.ScopeProject
	w.home(&m)
	if w.r.IntN(12) == 0 {
		m.DeletedAt = minute(0)
	}
	return m
}

func (w *World) home(m *engram.Memory) {
	m.Project = pick(w.r, w.projects())
	m.SessionID = pick(w.r, []string{m.Project + "-a", m.Project + "-a", m.Project + "-b", ""})
}

// Change changes something of a memory, of what the index has of it or not.
func (w *World) Change(m *engram.Memory) {
	switch w.r.IntN(11) {
	case 0:
		m.Title = w.text(5)
	case 1:
		m.Content = w.text(20)
	case 2:
		m.Content += " " + w.word()
	case 3:
		m.Type = pick(w.r, []engram.Type{engram.TypeFact, engram.TypeDecision, "rarity"})
	case 4:
		m.Scope = pick(w.r, []engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal})
	case 5:
		m.Tags = pick(w.r, [][]string{nil, {"red"}, {"blue", "red"}, {w.word()}})
	case 6:
		m.CreatedAt = minute(w.r.IntN(2 * (w.made + 1)))
	case 7:
		w.home(m)
	case 8:
		m.Metadata = pick(w.r, []map[string]any{nil, {"k": "v"}, {"k": "w"}})
	case 9:
		m.AccessCount++ // not in the index
	case 10:
		m.ToolName = pick(w.r, []string{"", w.word(), w.word() + "__" + w.word()})
	}
}

// Question draws a question: words that are there, above all of the newest memory, beginnings, parts and misspellings of
// them, and others.
func (w *World) Question() engram.LexicalQuery {
	var words []string
	for range []int{1, 1, 1, 2, 3, 8}[w.r.IntN(6)] {
		word := w.word()
		if w.r.IntN(4) == 0 {
			word = pick(w.r, w.newest)
		}
		r := []rune(word)
		switch w.r.IntN(9) {
		case 0:
			word = string(r[:1+w.r.IntN(len(r))])
		case 1:
			word = string(r[w.r.IntN(len(r)):])
		case 2:
			i := w.r.IntN(len(r))
			word = string(r[:i]) + string("aeiouxyz"[w.r.IntN(8)]) + string(r[i:])
		case 3:
			i := w.r.IntN(len(r))
			word = string(r[:i]) + string(r[i+1:])
		case 4:
			if i := w.r.IntN(len(r)); i > 0 {
				r[i], r[i-1] = r[i-1], r[i]
			}
			word = string(r)
		case 5:
			word = pick(w.r, []string{"the", "not", "nothing", "red", "yesterday", word + "ing", word + "-" + w.word()})
		}
		words = append(words, word)
	}
	q := engram.LexicalQuery{Terms: text.Query(strings.Join(words, " ")), All: w.r.IntN(6) == 0, Alone: w.r.IntN(2) == 0,
		Limit: pick(w.r, []int{1, 5, 10, 50, 100_000})}
	for i := range q.Terms {
		for range max(0, w.r.IntN(6)-3) {
			q.Terms[i].Also = append(q.Terms[i].Also, text.Query(w.word())[0].Word)
		}
	}
	f := &q.Filter
	if w.r.IntN(2) == 0 {
		f.Project = pick(w.r, append(w.projects(), "unknown"))
	}
	switch w.r.IntN(14) {
	case 0:
		f.Types = []engram.Type{engram.TypeFact, "rarity"}
	case 1:
		f.Scope = engram.ScopePersonal
	case 2:
		f.Beyond = true
	case 3:
		f.Tags = []string{"red"}
	case 4:
		f.Tags = []string{"red", "blue"}
	case 5:
		f.SessionID = pick(w.r, w.projects()) + "-a"
	case 6:
		f.Since = minute(w.r.IntN(w.made + 1))
	case 7:
		f.Until = minute(w.r.IntN(w.made + 1))
	case 8:
		f.Metadata = map[string]any{"k": "v"}
	}
	return q
}
