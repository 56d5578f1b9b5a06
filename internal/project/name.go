package project

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Normalize returns name as projects are kept: trimmed, in lower case, runs of
// hyphens and of underscores each one. Normalize(Normalize(name)) == Normalize(name).
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

// Check says why a new project cannot be named so: it says what CheckText does, and that
// the name is empty or a path, as of one who takes the folder for the project. A project
// that exists may be called so all the same.
func Check(name string) error {
	switch name = strings.TrimSpace(name); {
	case name == "":
		return invalid("project is required").WithHint("name a project")
	case strings.ContainsAny(name, `/\`):
		return invalid("project must be a name, not a path").WithHint("use the last part of it, such as %q", clean(lastPart(name)))
	}
	return CheckText(name)
}

// CheckText says why name cannot be a project's, as an *engram.Error of CodeInvalid
// whose cause is a *Problem of ReasonInvalid: because it is longer than engram.MaxName
// bytes, not UTF-8, because characters in it cannot be seen or end a line, or because a part
// of it leads out of a folder.
//
// White space around the name is not looked at: Normalize takes it away.
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

// climbs reports whether a name, were it taken for a path, would leave the folder it is in.
// A slash alone is no such thing: other programs call a project by its owner and its name.
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

// unseen reports control characters and those that part or turn lines without
// being seen: two names that look the same must be the same.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
		r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe007f
}

// clean makes of whatever a folder or a remote is called a name that passes Check;
// "" when nothing is left.
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

// lastPart returns what follows the last / or \ of a path, trailing ones left aside.
func lastPart(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
