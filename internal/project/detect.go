package project

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// unknown is the project of a folder without a name, such as /.
const unknown = "unknown"

// Detect decides the project of a folder by the first of: the name in .engram/config.json, the name
// of the git remote, the folder of the repository (of the main one for a worktree), the only
// repository among the child folders, the folder's own name.
//
// The name passes Check. Several child repositories are a conflict, caused by a *Problem of
// ReasonAmbiguous, with the choices in the Detection as well; an unusable configuration is invalid,
// with ReasonConfig. In both cases the Detection has its Source and Path set.
func Detect(f Facts) (Detection, error) {
	if f.ConfigErr != "" || f.ConfigName != "" {
		return detectConfig(f)
	}
	if f.Root != "" {
		return detectRepository(f), nil
	}
	switch len(f.Children) {
	case 0:
		return Detection{Name: baseName(f.Dir), Source: SourceBaseName, Path: f.Dir}, nil
	case 1:
		name := baseName(f.Children[0])
		return Detection{Name: name, Source: SourceChild, Path: f.Children[0],
			Warning: "auto-promoted child repository: " + name}, nil
	}
	return detectSeveral(f)
}

func detectConfig(f Facts) (Detection, error) {
	d := Detection{Source: SourceConfig, Path: f.ConfigDir}
	wrong := f.ConfigErr
	if wrong == "" {
		if err := Check(f.ConfigName); err != nil {
			wrong = "project_name in .engram/config.json cannot be used: " + err.(*engram.Error).Msg
		}
	}
	if wrong != "" {
		return d, engram.Errorf(engram.CodeInvalid, "%s", wrong).
			WithHint("write %s into %s", `{"project_name": "NAME"}`, filepath.Join(f.ConfigDir, ".engram", "config.json")).
			WithCause(&Problem{Reason: ReasonConfig})
	}
	d.Name = Normalize(f.ConfigName)
	return d, nil
}

func detectRepository(f Facts) Detection {
	if name := clean(RemoteName(f.Remote)); name != "" {
		return Detection{Name: name, Source: SourceRemote, Path: f.Root}
	}
	name := baseName(cmp.Or(f.Main, f.Root))
	name = cmp.Or(strings.TrimSuffix(name, ".git"), name)
	return Detection{Name: name, Source: SourceRoot, Path: f.Root}
}

func detectSeveral(f Facts) (Detection, error) {
	var names []string
	for _, child := range f.Children {
		names = append(names, baseName(child))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	d := Detection{Source: SourceAmbiguous, Path: f.Dir, Available: names}
	return d, engram.Errorf(engram.CodeConflict, "ambiguous project: multiple git repos found in cwd").
		WithHint("work inside one of them, or name the project: %s", strings.Join(names, ", ")).
		WithCause(&Problem{Reason: ReasonAmbiguous, Available: slices.Clone(names)})
}

// baseName returns the last part of a folder as a project name.
func baseName(dir string) string {
	switch base := filepath.Base(dir); base { // Base returns "." for ""
	case ".", "..", string(filepath.Separator):
		return unknown
	default:
		return cmp.Or(clean(base), unknown)
	}
}
