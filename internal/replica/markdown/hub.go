package markdown

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

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
	x := n.state.Hubs[h.Name()]
	f, stands := n.file(name)
	if stands || n.taken(name) {
		edited := true
		if stands && x != nil {
			var err error
			if edited, err = n.changedSince(f, &x.fileState); err != nil {
				return err
			}
			if !edited && x.File == digest(text) {
				return nil
			}
		}
		if stands && edited {
			if b, err := n.readFile(name, maxState); err == nil && digest(b) == digest(text) {
				edited = false // it was written, and the list of notes was not
			}
		}
		if edited && (!n.how.Force || !stands) {
			done.Edited = append(done.Edited, shown(name))
			return nil
		}
	}
	left, still, err := n.write(name, text)
	if err != nil {
		return err
	}
	if !still {
		done.Edited = append(done.Edited, shown(name))
		return nil
	}
	n.state.Hubs[h.Name()] = &hubState{name, h.Project, left}
	n.changed = true
	done.Written++
	return nil
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

// hubText is the note of a hub.
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
