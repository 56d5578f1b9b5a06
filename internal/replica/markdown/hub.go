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

// hubText returns the note of a hub.
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
