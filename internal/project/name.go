package project

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Normalize returns name as it is stored: trimmed, in lower case, runs of hyphens and of
// underscores as one. Normalize(Normalize(name)) == Normalize(name).
func Normalize(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if !strings.Contains(name, "--") && !strings.Contains(name, "__") {
		return name
	}
	var b strings.Builder
	var last rune
	for _, r := range name {
		if r != last || r != '-' && r != '_' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// Check reports why a new project cannot have this name: the reasons of CheckText, or it is empty
// or a path. An existing project may have such a name.
func Check(name string) error {
	switch name = strings.TrimSpace(name); {
	case name == "":
		return invalid("project is required").WithHint("name a project")
	case strings.ContainsAny(name, `/\`):
		return invalid("project must be a name, not a path").WithHint("use the last part of it, such as %q", clean(lastPart(name)))
	}
	return CheckText(name)
}

// CheckText reports why no project can have this name, as an *engram.Error of CodeInvalid caused by
// a *Problem of ReasonInvalid: it is longer than engram.MaxName bytes, not UTF-8, has invisible
// characters or line ends, or a part of it leads out of a folder.
//
// White space around the name is ignored, as Normalize removes it.
func CheckText(name string) error {
	name = strings.TrimSpace(name)
	switch {
	case !utf8.ValidString(name):
		return invalid("project is not valid UTF-8")
	case strings.ContainsFunc(name, unseen):
		return invalid("project contains control characters").WithHint("use letters, digits, - and _")
	case len(name) > engram.MaxName:
		return invalid("project has %d bytes, the limit is %d", len(name), engram.MaxName)
	case climbs(name):
		return invalid("project has a part that is . or ..").WithHint("use letters, digits, - and _")
	}
	return nil
}

// climbs reports whether a name, used as a path, would leave its folder. A slash alone does not:
// other programs name a project by owner and name.
func climbs(name string) bool {
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part = strings.TrimSpace(part); part == "." || part == ".." {
			return true
		}
	}
	return false
}

func invalid(format string, args ...any) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, format, args...).WithCause(&Problem{Reason: ReasonInvalid})
}

// unseen reports control characters and invisible ones that break or reorder lines: two names that
// look the same must be the same.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
		r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}

// clean turns the name of a folder or a remote into one that passes Check; "" if nothing is left.
func clean(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == utf8.RuneError || unseen(r) {
			return '-'
		}
		return r
	}, name)
	name = Normalize(name)
	for len(name) > engram.MaxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return strings.TrimSpace(name)
}

// lastPart returns the part after the last / or \ of a path, ignoring trailing ones.
func lastPart(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// RemoteIdentity returns the name of the repository at a git remote that is the same for every
// clone and protocol: host and path in lower case, without scheme, user, port and ".git", such as
// "example.com/owner/name". It is "" for a local folder and for what SafeRemote does not show.
func RemoteIdentity(remote string) string {
	scheme, host, path := split(remote)
	switch {
	case host == "" || strings.EqualFold(scheme, "file://"):
		return ""
	case scheme == "":
		host = strings.TrimSuffix(host, ":")
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if name, port, found := strings.Cut(host, ":"); found && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if path = strings.Trim(path, "/"); host == "" || path == "" {
		return ""
	}
	return strings.ToLower(host + "/" + path)
}

// Similar returns the names in among that name may stand for, best first: equal except for case;
// then those that contain name or are contained in it (at least three characters); then those
// within a few typing mistakes (at most 3 and half the length of name, at least 1). A name of one
// letter only matches itself in another case. Equal ones are sorted by name; name itself is left
// out; nil for none. among is not changed.
func Similar(name string, among []string) []string {
	type find struct {
		name string
		kind kind
		far  int
	}
	var finds []find
	for _, other := range among {
		if other == name {
			continue
		}
		if k, far := compare(name, other); k != unlike {
			finds = append(finds, find{other, k, far})
		}
	}
	slices.SortStableFunc(finds, func(a, b find) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range finds {
		names = append(names, f.name)
	}
	return names
}

// Groups returns groups of names that look like one project: names are connected if each is similar
// to the other, and a group is a connected component. Groups have at least two names; names and
// groups are sorted; nil for none.
func Groups(names []string) [][]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	// leader points from each name to another of its group; the first points to itself.
	leader := make([]int, len(names))
	find := func(i int) int {
		for leader[i] != i {
			leader[i] = leader[leader[i]]
			i = leader[i]
		}
		return i
	}
	for i, name := range names {
		leader[i] = i
		for j, other := range names[:i] {
			if mutual(name, other) {
				a, b := find(i), find(j)
				leader[max(a, b)] = min(a, b)
			}
		}
	}
	members := make([][]string, len(names))
	for i, name := range names {
		at := find(i)
		members[at] = append(members[at], name)
	}
	return slices.DeleteFunc(members, func(g []string) bool { return len(g) < 2 })
}

// mutual checks both directions, because the rules depend on the length of one side: a project
// named "a" must not connect all names with an a.
func mutual(a, b string) bool {
	there, _ := compare(a, b)
	if there == unlike {
		return false
	}
	back, _ := compare(b, a)
	return back != unlike
}

// kind is how two names are similar; lower is closer.
type kind int

const (
	sameButCase kind = iota
	within           // one contains the other
	mistyped
	unlike
)

// minWithin is the least number of characters of a name to be found within another.
const minWithin = 3

// compare returns how other is similar to name, and how far from it.
func compare(name, other string) (k kind, far int) {
	if max(len(name), len(other)) > engram.MaxName {
		return unlike, 0 // no project's name; and Distance is quadratic in the length
	}
	name, other = strings.ToLower(name), strings.ToLower(other)
	n, m := utf8.RuneCountInString(name), utf8.RuneCountInString(other)
	switch {
	case n == 0 || m == 0:
		return unlike, 0
	case name == other:
		return sameButCase, 0
	case n == 1 || m == 1: // any letter is one mistake from any other
		return unlike, 0
	case n >= minWithin && (strings.Contains(name, other) || strings.Contains(other, name)):
		return within, max(n-m, m-n)
	}
	limit := min(3, max(1, n/2))
	if max(n-m, m-n) > limit {
		return unlike, 0
	}
	if far = text.Distance(name, other); far > limit {
		return unlike, 0
	}
	return mistyped, far
}
