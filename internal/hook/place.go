package hook

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/project"
)

// where is the result of place.
type where int

const (
	here    where = iota // in a project
	nowhere              // in a folder of several projects before work in one of them, or with an invalid configuration
	off                  // in a disabled project
)

// place finds the project of the folder, unless notes have it; for a folder of several, the one the
// session works in. Without a project nothing is injected, but the session still records what it
// writes.
func (r *run) place(ctx context.Context, notes []attend.Note) where {
	name, known := placeIn(notes, r.event.Folder)
	if !known {
		in, err := r.detect(ctx, r.event.Folder)
		if err != nil {
			return nowhere
		}
		name = in.Name
		if r.Off(name) {
			return off
		}
		r.note(attend.Note{Kind: notePlace, Path: r.event.Folder, Text: name})
		r.noteRoot(in)
	}
	if name == "" {
		name = attend.Workplace(notes)
		r.dir = cmp.Or(rootOf(notes, name), r.dir)
	}
	r.project = name
	r.found.Store(&name)
	switch {
	case r.Off(name):
		return off
	case name == "":
		return nowhere
	}
	return here
}

// placeIn returns a folder's project from notes.
func placeIn(notes []attend.Note, folder string) (name string, known bool) {
	for _, n := range notes {
		if n.Kind == notePlace && n.Path == folder {
			name, known = n.Text, true
		}
	}
	return name, known
}

// rootOf returns the folder of a project's repository from notes.
func rootOf(notes []attend.Note, name string) (root string) {
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text == name && name != "" {
			root = n.Path
		}
	}
	return root
}

// detect finds the project of a folder. A folder of several projects, and one with an invalid
// configuration, have none.
func (r *run) detect(ctx context.Context, folder string) (projects.ProjectInForce, error) {
	r.do("project")
	// Not cancelled: saved items depend on it, and it takes some milliseconds.
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), projects.ProjectRequest{Override: r.Project, Dir: folder})
	if err == nil {
		return in, nil
	}
	r.trouble("project", err)
	if _, problem := errors.AsType[*project.Problem](err); problem {
		in.Name, err = "", nil
	}
	return in, err
}

// noteRoot notes the folder that determined a project, if everything below it belongs to it.
func (r *run) noteRoot(in projects.ProjectInForce) {
	if in.Name != "" && in.Path != "" && decides(in.Source) {
		r.note(attend.Note{Kind: noteRoot, Path: in.Path, Text: in.Name})
	}
}

// decides reports whether a source is a repository or a configuration, not only the name of a
// folder, which says nothing about subfolders.
func decides(s project.Source) bool {
	switch s {
	case project.SourceConfig, project.SourceRemote, project.SourceRoot, project.SourceChild:
		return true
	}
	return false
}

// ground returns the project and folder of the repository in which an event's tool works: that of
// its file, else of its command's folder. "" for none.
func (r *run) ground(ctx context.Context, notes []attend.Note) (name, root string) {
	folder := r.toolFolder()
	if folder == "" || r.Project != "" { // the settings name one project for everything
		return "", ""
	}
	for _, n := range notes {
		if n.Kind == noteRoot && n.Text != "" && len(n.Path) > len(root) && within(folder, n.Path) {
			name, root = n.Text, n.Path
		}
	}
	if name != "" && !separate(folder, root) {
		return name, root
	}
	if !r.unknown(notes, folder) {
		return "", ""
	}
	in, err := r.detect(ctx, folder)
	switch {
	case err != nil:
		return "", ""
	case in.Name == "" || !decides(in.Source) || !within(folder, in.Path):
		r.note(attend.Note{Kind: noteBare, Path: folder})
		return "", ""
	}
	r.noteRoot(in)
	return in.Name, in.Path
}

// unknown reports whether a folder's repository was not looked for yet.
func (r *run) unknown(notes []attend.Note, folder string) bool {
	_, placed := placeIn(notes, folder)
	return !placed && !noted(notes, noteBare, func(n attend.Note) bool { return n.Path == folder })
}

// toolFolder returns the nearest existing folder in which a tool works, or "".
func (r *run) toolFolder() string {
	t := r.event.Tool
	var folder string
	switch {
	case t.Path != "":
		folder = filepath.Dir(under(r.event.Folder, t.Path))
	case t.Command != "":
		folder = under(under(r.event.Folder, t.Folder), filepath.FromSlash(attend.FolderOf(t.Command)))
	}
	if !filepath.IsAbs(folder) {
		return ""
	}
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}

// under returns path as seen from folder.
func under(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

func within(folder, root string) bool {
	rel, err := filepath.Rel(root, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// separate reports whether folder belongs to another repository or configuration below root.
func separate(folder, root string) bool {
	for folder != root {
		for _, sign := range []string{".git", filepath.Join(".engram", "config.json")} {
			if _, err := os.Lstat(filepath.Join(folder, sign)); err == nil {
				return true
			}
		}
		up := filepath.Dir(folder)
		if up == folder {
			return false
		}
		folder = up
	}
	return false
}

// lessonPlace returns the project and folder for a lesson from some notes: the repository worked
// in, else the project of the folder, else one that the session has visited. Otherwise a folder of
// several projects counts as one, so that the lesson can be found.
func (r *run) lessonPlace(ctx context.Context, worked, notes []attend.Note) (name, dir string) {
	if name = attend.Workplace(worked); name != "" {
		return name, cmp.Or(rootOf(notes, name), r.dir)
	}
	if r.project != "" {
		return r.project, r.dir
	}
	for _, n := range notes {
		if n.Kind == notePlace && n.Text != "" {
			name, dir = n.Text, n.Path
		}
	}
	if name != "" {
		return name, dir
	}
	in, err := r.Engine().ProjectFor(context.WithoutCancel(ctx), projects.ProjectRequest{Override: r.Project, Dir: r.event.Folder, Lenient: true})
	if err != nil {
		r.trouble("project", err)
	}
	return in.Name, r.dir
}

// learned saves a lesson from some notes unless the project is disabled, and reports whether it did.
func (r *run) learned(ctx context.Context, worked, notes []attend.Note, w attend.Pending) bool {
	w.Project, w.Directory = r.lessonPlace(ctx, worked, notes)
	if r.Off(w.Project) {
		return false
	}
	r.waitFor(w)
	return true
}
