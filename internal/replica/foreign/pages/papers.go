package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/frontmatter"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// IsGraphPage reports whether a page of this name has entities.
func IsGraphPage(stem string) bool { return strings.EqualFold(stem, "project_graph") }

// ListOf returns a list of front matter: several values, or one with commas.
func ListOf(m frontmatter.Matter, key string) []string {
	values := m.Fields[key]
	if len(values) == 1 {
		values = strings.Split(values[0], ",")
	}
	var out []string
	for _, v := range values {
		if v = strings.TrimPrefix(strings.TrimSpace(v), "#"); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// Papers reads a folder of Markdown.
type Papers struct {
	source.Source
	source.Naming
	Folder  *Folder
	Below   string // path prefix to leave out of page names
	Project string
	seen    map[[sha256.Size]byte]string // what was read, by words: its location
	given   map[string]bool              // ids, by space
	nth     map[string]int               // number of repetitions of an id
}

// NewPapers returns a reader of a folder, which it closes. Its Each is nil.
func NewPapers(s source.System, f *Folder, project string) Papers {
	p := Papers{Naming: source.Naming{System: s, Space: project}, Folder: f, Project: project, seen: map[[sha256.Size]byte]string{}, given: map[string]bool{}, nth: map[string]int{}}
	p.Head = engram.Snapshot{Format: string(s), Project: project, Lacks: []engram.Entity{engram.EntityProject, engram.EntitySession, engram.EntityPrompt}}
	p.Done = f.Root.Close
	return p
}

// Repeated reports whether the same words were read under the same headings before, and notes it.
// Headings count, because "Use four spaces" below Frontend and below Backend are two memories.
func (p *Papers) Repeated(item, headings, text string) bool {
	words := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
	sum := sha256.Sum256([]byte(p.Space + "\x00" + words(headings) + "\x00" + words(text)))
	if first, known := p.seen[sum]; known {
		p.Note(item, "left out: same text as "+first)
		return true
	}
	p.seen[sum] = item
	return false
}

// Own returns an unused id: the wanted one, with a number if it is taken, as by two sections with
// the same headings.
func (p *Papers) Own(id string) string {
	wanted := p.Space + "\x00" + id
	for given := wanted; ; {
		if !p.given[given] {
			p.given[given] = true
			return strings.TrimPrefix(given, p.Space+"\x00")
		}
		p.nth[wanted]++
		given = fmt.Sprintf("%s#%d", wanted, p.nth[wanted]+1)
	}
}

// Cut yields the sections of a page as memories completed by fn; they have a title and a content
// already. It reports whether more is wanted.
func (p *Papers) Cut(pg Page, body string, firstLine int, heading string, split bool, fn func(m *engram.Memory, s Section), yield func(engram.Record) bool) bool {
	sections, whole := cutAt(body, firstLine)
	page := ""
	if split { // the name of the page implies the type of its content
		page = strings.ToLower(pg.Stem())
	}
	for _, s := range sections {
		id := p.Own(pg.Path + "#" + strings.Join(s.Headings, "/"))
		pieces := []Section{s}
		if split && !(IsGraphPage(pg.Stem()) && len(sections) > 1) { // there a heading is an entity, and the list is about it
			if several := items(s); several != nil {
				pieces = several
			}
		}
		for _, piece := range pieces {
			item := fmt.Sprintf("%s:%d", pg.Path, piece.Line)
			if p.Repeated(item, page+"\n"+s.within(whole), piece.Text) {
				continue
			}
			own := id
			m := engram.Memory{Project: p.Project, Title: Titled(cmp.Or(s.title(whole), heading)), Content: piece.Text, CreatedAt: pg.At}
			if len(pieces) > 1 {
				// Identify an item by its words: its position changes when an item is inserted
				// above it.
				own = id + "#" + p.Digest("item", []string{piece.Text})
				m.Title = source.FirstLine(strings.NewReplacer("**", "", "__", "", "`", "").Replace(piece.Text)) // without bold and code
				if above := s.above(whole, pg.Stem()); above != "" {
					m.Title = Titled(above + ": " + m.Title)
				}
			}
			m.SyncID, m.Metadata = p.Memory(own), p.Dated(own, pg.Path, nil)
			fn(&m, s)
			r := source.NewMemory(m)
			r.Item = item
			if !yield(r) {
				return false
			}
		}
	}
	return true
}

// Titled shortens a title that is too long.
func Titled(text string) string {
	if len(text) > engram.MaxTitle {
		return source.FirstLine(text)
	}
	return text
}

// Pages calls fn with each page, in order.
func (p *Papers) Pages(ctx context.Context, paths []string, yield func(engram.Record) bool, fn func(Page) (more bool)) error {
	for _, name := range paths {
		if err := ctx.Err(); err != nil {
			return err
		}
		pg := Page{Path: strings.TrimPrefix(name, p.Below)}
		pg.Text, pg.At, pg.missing = p.Folder.text(name)
		r := flawedPage(pg)
		if r.Flaw == nil && !fn(pg) || r.Flaw != nil && !yield(r) {
			return nil
		}
	}
	return nil
}

// flawedPage returns an item with a Flaw for a page that cannot be read or whose front matter is
// unterminated: its values would become text, or be lost.
func flawedPage(p Page) engram.Record {
	if p.missing != nil {
		return engram.Record{Item: p.Path, Flaw: p.missing}
	}
	m, _, _ := frontmatter.Split(p.Text)
	if m.Broken == 0 {
		return engram.Record{}
	}
	return engram.Record{Item: fmt.Sprintf("%s:%d", p.Path, m.Broken),
		Flaw: engram.Errorf(engram.CodeInvalid, "the front matter is unterminated here").WithHint("complete it, or copy the file again")}
}

// Nothing reports a folder without the wanted files.
func Nothing(what, hint string) error {
	return engram.Errorf(engram.CodeNotFound, "no %s found there", what).WithHint("%s", hint)
}

// FieldsOf returns fields of front matter for metadata, without those that are stored elsewhere.
func FieldsOf(m frontmatter.Matter, without ...string) map[string]any {
	kept := map[string]any{}
	for _, k := range m.Order {
		if slices.Contains(without, k) || len(kept) >= source.MostListed {
			continue
		}
		if v := m.Fields[k]; len(v) == 1 {
			kept[k] = v[0]
		} else {
			kept[k] = source.Listed(v)
		}
	}
	return kept
}
