package markdown

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// marker separates the memory from what an export writes below it. The last such line counts: a
// memory may mention it.
const marker = "<!-- engram: the memory ends here; what follows is written anew -->"

// ownKeys are Engram's keys in front matter. All others are the person's and stay unchanged.
func ownKeys() []string {
	return []string{"id", "sync_id", "title", "aliases", "project", "scope", "type", "topic", "topic_key", "tags", "importance",
		"permanent", "session", "origin", "created", "updated", "revision", "review_after", "valid_from", "valid_to"}
}

// noteTime is a time of a memory and its key in a note.
type noteTime struct {
	key string
	at  *time.Time
}

func timesOf(m *engram.Memory) []noteTime {
	return []noteTime{{"created", &m.CreatedAt}, {"updated", &m.UpdatedAt}, {"review_after", &m.ReviewAfter},
		{"valid_from", &m.ValidFrom}, {"valid_to", &m.ValidTo}}
}

// kept is the person's own part of a note.
type kept struct {
	aliases []string
	extra   string // YAML of other keys, whole lines; "" for none
}

// noteText returns the note of a memory up to the marker, including the person's part.
func noteText(m engram.Memory, own kept) string {
	var f front
	f.put("id", scalar(string(m.ID)))
	f.text("sync_id", m.SyncID)
	f.put("title", scalar(m.Title))
	f.list("aliases", append([]string{m.Title}, own.aliases...))
	f.text("project", m.Project)
	f.put("scope", scalar(string(m.Scope)))
	f.put("type", scalar(string(m.Type)))
	f.text("topic", m.TopicKey)
	f.list("tags", m.Tags)
	f.put("importance", strconv.FormatFloat(m.Importance, 'f', -1, 64))
	if m.Permanent {
		f.put("permanent", "true")
	}
	f.text("session", m.SessionID)
	f.text("origin", string(m.Origin))
	for _, t := range timesOf(&m) {
		if !t.at.IsZero() {
			f.put(t.key, t.at.UTC().Format(time.RFC3339))
		}
	}
	f.put("revision", strconv.Itoa(max(1, m.RevisionCount)))
	return "---\n" + f.String() + own.extra + "---\n\n" + m.Content + "\n\n" + marker + "\n"
}

// tail returns what follows the marker: relations and hubs.
func (n *notes) tail(v engram.VaultNote) string {
	var b strings.Builder
	here := n.pathOf(v.Memory.ID)
	var lines []string
	for _, l := range v.Links {
		line := "- " + linkWords(l) + " " + n.linkTo(here, n.pathOf(l.ID), l.Title)
		if reason := clean(l.Reason, 200); reason != "" {
			line += " — " + reason
		}
		lines = append(lines, line)
	}
	for _, h := range v.Hubs {
		lines = append(lines, "- "+string(h.Kind)+" "+n.linkTo(here, hubName(h), h.Title))
	}
	if len(lines) > 0 {
		b.WriteString("\n## Relations\n\n" + strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// linkWords describes the relation of a note's memory to another one.
func linkWords(l engram.NoteLink) string {
	words := strings.ReplaceAll(string(l.Verb), "_", " ")
	if !l.Outgoing {
		switch l.Verb {
		case engram.VerbSupersedes:
			words = "superseded by"
		case engram.VerbDerivedFrom:
			words = "source of"
		case engram.VerbEvolvedFrom:
			words = "evolved into"
		case engram.VerbCausedBy:
			words = "cause of"
		case engram.VerbScoped:
			words = "scoped by"
		}
	}
	if l.Pending {
		words = "perhaps " + words
	}
	return clean(words, 60)
}

// linkTo returns a link between notes with the other's title; only the title if there is no note.
func (n *notes) linkTo(from, to, title string) string {
	title = cmp.Or(clean(title, 120), "memory")
	switch {
	case to == "":
		return title
	case n.opts.PlainLinks:
		to = strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(relative(path.Dir(from), to))
		return fmt.Sprintf("[%s](<%s>)", title, to)
	}
	return fmt.Sprintf("[[%s|%s]]", strings.TrimSuffix(path.Base(to), suffix), title)
}

// relative returns the path from a folder of the vault to a file in it.
func relative(dir, to string) string {
	a, b := strings.Split(dir, "/"), strings.Split(to, "/")
	for len(a) > 0 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return path.Join(append(slices.Repeat([]string{".."}, len(a)), b...)...)
}

// clean returns a text on one line without special characters of Markdown, HTML or Obsidian: titles
// and reasons may be written by others.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unseen(r):
			return -1
		case r == '[':
			return '('
		case r == ']':
			return ')'
		case r == '|':
			return '/'
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		case r == '`', r == '\\':
			return '\''
		}
		return r
	}, strings.ToValidUTF8(render.Line(s, most), ""))
	for strings.Contains(s, "%%") { // begins a comment in Obsidian
		s = strings.ReplaceAll(s, "%%", "%")
	}
	return strings.TrimSpace(s)
}

// PutHubs implements engram.VaultNotes.
func (n *notes) PutHubs(hubs []engram.Hub, projects []string) (engram.HubsDone, error) {
	var done engram.HubsDone
	wanted := map[string]bool{}
	for _, h := range hubs {
		wanted[h.Name()] = true
		if err := n.putHub(h, &done); err != nil {
			return done, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.state.Hubs)) {
		if x := n.state.Hubs[name]; !wanted[name] && slices.Contains(projects, x.Project) {
			if err := n.removeHub(name, x, &done); err != nil {
				return done, err
			}
		}
	}
	done.Standing = len(n.state.Hubs)
	return done, nil
}

func (n *notes) putHub(h engram.Hub, done *engram.HubsDone) error {
	text, name := []byte(n.hubText(h)), hubName(h)
	if dir := n.barred(name); dir != "" {
		n.remark(name, shown(dir)+" is a link or not a folder, so the note was not written")
		return nil
	}
	f, stands := n.file(name)
	same, edited := false, n.taken(name) // by a link, unless it stands
	if stands {
		var err error
		if same, edited, err = n.hubStands(f, n.state.Hubs[h.Name()], text); err != nil {
			return err
		}
	}
	switch {
	case same:
		n.leaveHub(h, name, fileState{digest(text), f.size, f.time})
		return nil
	case edited && (!n.how.Force || !stands):
		done.Edited = append(done.Edited, shown(name))
		return nil
	case edited:
		aside, err := n.aside(name)
		if err != nil {
			return err
		}
		done.Aside = append(done.Aside, aside)
	}
	left, still, err := n.write(name, text)
	if err != nil {
		return err
	}
	if !still {
		done.Edited = append(done.Edited, shown(name))
		return nil
	}
	n.leaveHub(h, name, left)
	done.Written++
	return nil
}

// leaveHub records the written state of a hub.
func (n *notes) leaveHub(h engram.Hub, name string, left fileState) {
	now := hubState{name, h.Project, left}
	if x := n.state.Hubs[h.Name()]; x == nil || *x != now {
		n.state.Hubs[h.Name()], n.changed = &now, true
	}
}

// hubStands reports whether the file of a hub has its text already, or was edited.
func (n *notes) hubStands(f found, x *hubState, text []byte) (same, edited bool, err error) {
	if x != nil {
		if edited, err = n.changedSince(f, &x.fileState); err != nil || !edited {
			return x.File == digest(text), false, err
		}
	}
	// It may have been written without the list of notes.
	b, err := n.readFile(f.path, maxState)
	same = err == nil && digest(b) == digest(text)
	return same, !same, nil
}

func (n *notes) removeHub(name string, x *hubState, done *engram.HubsDone) error {
	if f, stands := n.file(x.Path); stands {
		edited, err := n.changedSince(f, &x.fileState)
		if err != nil {
			return err
		}
		if edited {
			done.Edited = append(done.Edited, shown(x.Path))
			return nil
		}
		if err := n.remove(x.Path); err != nil {
			return err
		}
		done.Deleted++
	}
	delete(n.state.Hubs, name)
	n.changed = true
	return nil
}

func (n *notes) hubText(h engram.Hub) string {
	var f front
	f.put("hub", string(h.Kind))
	f.put("title", scalar(h.Title))
	f.list("aliases", []string{h.Title})
	f.text("project", h.Project)
	f.put("memories", strconv.Itoa(len(h.Members)))
	var b strings.Builder
	b.WriteString("---\n" + f.String() + "---\n\n")
	if text := strings.TrimSpace(h.Text); text != "" {
		b.WriteString(text + "\n\n")
	}
	here := hubName(h)
	for _, m := range h.Members {
		b.WriteString("- " + n.linkTo(here, n.pathOf(m.ID), m.Title) + " (" + clean(string(m.Type), 40) + ")\n")
	}
	return b.String()
}
