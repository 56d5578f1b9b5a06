package foreign

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// papers reads a folder of Markdown.
type papers struct {
	source
	naming
	folder  *folder
	below   string // path prefix to leave out of page names
	project string
	seen    map[[sha256.Size]byte]string // what was read, by words: its location
	given   map[string]bool              // ids, by space
	nth     map[string]int               // number of repetitions of an id
}

func newPapers(s System, f *folder, project string) papers {
	p := papers{naming: naming{s, project}, folder: f, project: project, seen: map[[sha256.Size]byte]string{}, given: map[string]bool{}, nth: map[string]int{}}
	p.head = engram.Snapshot{Format: string(s), Project: project, Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}
	p.close = f.close
	return p
}

// repeated reports whether the same words were read under the same headings before, and notes it.
// Headings count, because "Use four spaces" below Frontend and below Backend are two memories.
func (p *papers) repeated(item, headings, text string) bool {
	words := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	sum := sha256.Sum256([]byte(p.space + "\x00" + words(headings) + "\x00" + words(text)))
	if first, known := p.seen[sum]; known {
		p.note(item, "left out: same text as "+first)
		return true
	}
	p.seen[sum] = item
	return false
}

// own returns an unused id: the wanted one, with a number if it is taken, as by two sections with
// the same headings.
func (p *papers) own(id string) string {
	wanted := p.space + "\x00" + id
	for given := wanted; ; {
		if !p.given[given] {
			p.given[given] = true
			return strings.TrimPrefix(given, p.space+"\x00")
		}
		p.nth[wanted]++
		given = fmt.Sprintf("%s#%d", wanted, p.nth[wanted]+1)
	}
}

// cut yields the sections of a page as memories completed by fn; they have a title and a content
// already. It reports whether more is wanted.
func (p *papers) cut(pg page, body string, firstLine int, heading string, split bool, fn func(m *engram.Memory, s section), yield func(engram.Record) bool) bool {
	sections, whole := cutAt(body, firstLine)
	page := ""
	if split { // the name of the page implies the type of its content
		page = strings.ToLower(pg.stem())
	}
	for _, s := range sections {
		id := p.own(pg.path + "#" + strings.Join(s.headings, "/"))
		pieces := []section{s}
		if split && !(isGraphPage(pg.stem()) && len(sections) > 1) { // there a heading is an entity, and the list is about it
			if several := items(s); several != nil {
				pieces = several
			}
		}
		for _, piece := range pieces {
			item := fmt.Sprintf("%s:%d", pg.path, piece.line)
			if p.repeated(item, page+"\n"+s.within(whole), piece.text) {
				continue
			}
			own := id
			m := engram.Memory{Project: p.project, Title: titled(cmp.Or(s.title(whole), heading)), Content: piece.text, CreatedAt: pg.at}
			if len(pieces) > 1 {
				// Identify an item by its words: its position changes when an item is inserted
				// above it.
				own, m.Title = id+"#"+p.digest("item", []string{piece.text}), plainLine(piece.text)
				if above := s.above(whole, pg.stem()); above != "" {
					m.Title = titled(above + ": " + m.Title)
				}
			}
			m.SyncID, m.Metadata = p.memory(own), p.dated(own, pg.path, nil)
			fn(&m, s)
			r := newMemory(m)
			r.Item = item
			if !yield(r) {
				return false
			}
		}
	}
	return true
}

// titled shortens a title that is too long.
func titled(text string) string {
	if len(text) > engram.MaxTitle {
		return firstLine(text)
	}
	return text
}

// plainLine returns the beginning of an item without the marks of bold and code.
func plainLine(text string) string {
	return firstLine(strings.NewReplacer("**", "", "__", "", "`", "").Replace(text))
}

// pages calls fn with each page, in order.
func (p *papers) pages(ctx context.Context, paths []string, yield func(engram.Record) bool, fn func(page) (more bool)) error {
	for _, name := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		pg := p.folder.read(name)
		pg.path = strings.TrimPrefix(pg.path, p.below)
		r := flawedPage(pg)
		if r.Flaw == nil && !fn(pg) || r.Flaw != nil && !yield(r) {
			return nil
		}
	}
	return nil
}

// flawedPage returns an item with a Flaw for a page that cannot be read or whose front matter is
// unterminated: its values would become text, or be lost.
func flawedPage(p page) engram.Record {
	if p.missing != nil {
		return engram.Record{Item: p.path, Flaw: p.missing}
	}
	m, _, _ := split(p.text)
	if m.broken == 0 {
		return engram.Record{}
	}
	return engram.Record{Item: fmt.Sprintf("%s:%d", p.path, m.broken),
		Flaw: engram.Errorf(engram.CodeInvalid, "the front matter is unterminated here").WithHint("complete it, or copy the file again")}
}

// nothing reports a folder without the wanted files.
func nothing(what, hint string) error {
	return engram.Errorf(engram.CodeNotFound, "no %s found there", what).WithHint("%s", hint)
}

// fieldsOf returns fields of front matter for metadata, without those that are stored elsewhere.
func fieldsOf(m matter, without ...string) map[string]any {
	kept := map[string]any{}
	for _, k := range m.order {
		if slices.Contains(without, k) || len(kept) >= mostListed {
			continue
		}
		if v := m.fields[k]; len(v) == 1 {
			kept[k] = v[0]
		} else {
			kept[k] = listed(v)
		}
	}
	return kept
}
