package engram

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Ref names a memory: by number, ID or a prefix of one, sync id, or topic key. Exactly one field is set, beside
// Project.
type Ref struct {
	Num     int64
	ID      string // a whole ID, an unambiguous prefix starting with "mem_", or an id of an earlier program (SyncIDOf)
	SyncID  string
	Topic   string
	Project string // restricts a Topic; "" searches every project
}

// idLength is the length of a whole ID: the prefix and 26 characters.
const idLength = len(IDPrefix) + 26

// ByNum returns the Ref of a memory's number.
func ByNum(num int64) Ref { return Ref{Num: num} }

// ByID returns the Ref of a whole memory ID.
func ByID(id ID) Ref { return Ref{ID: string(id)} }

// SyncIDOf returns the default sync id: "obs-" and a digest of the ID. A memory from a program with ids of
// another form gets that of its id there, so that it can still be found by it.
func SyncIDOf(id ID) string {
	sum := sha256.Sum256([]byte(id))
	return "obs-" + hex.EncodeToString(sum[:8])
}

// ParseRef reads "12", "#12", "mem_01k…" (whole or shortened), "obs-0123456789abcdef",
// "topic:architecture/auth-model" and the ids of earlier programs: "mem_abc123", "mem_" or nothing before a
// UUID. A # before an id, as in older texts, is ignored. Anything else is CodeInvalid.
func ParseRef(s string) (Ref, error) {
	s = strings.TrimSpace(s)
	bad := func() (Ref, error) {
		if len(s) > longestID || strings.ContainsAny(s, "<>") {
			s = "this" // a text pasted by mistake, perhaps private
		} else {
			s = strconv.Quote(s)
		}
		return Ref{}, Errorf(CodeInvalid, "%s does not name a memory", s).
			WithHint("use a number (12), an id (mem_…) or topic:KEY")
	}
	if key, ok := strings.CutPrefix(s, "topic:"); ok {
		if key = strings.TrimSpace(key); key == "" {
			return bad()
		}
		return Ref{Topic: key}, nil
	}
	if id := strings.TrimPrefix(s, "#"); strings.HasPrefix(id, IDPrefix) || strings.HasPrefix(id, "obs-") {
		s = id
	}
	if rest, ok := strings.CutPrefix(s, IDPrefix); ok {
		if isLowerAlnum(rest) && rest != "" && len(s) <= idLength || isUUID(rest) {
			return Ref{ID: s}, nil
		}
		return bad()
	}
	if isUUID(s) {
		return Ref{ID: s}, nil
	}
	if hex, ok := strings.CutPrefix(s, "obs-"); ok {
		if hex == "" || len(s) > MaxName {
			return bad()
		}
		return Ref{SyncID: s}, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n < 1 {
		return bad()
	}
	return Ref{Num: n}, nil
}

// Whole reports whether the ID is complete, so that no search by prefix is needed.
func (r Ref) Whole() bool { return len(r.ID) == idLength }

// String returns the spelling ParseRef reads.
func (r Ref) String() string {
	switch {
	case r.Num != 0:
		return "#" + strconv.FormatInt(r.Num, 10)
	case r.ID != "":
		return r.ID
	case r.SyncID != "":
		return r.SyncID
	}
	return "topic:" + r.Topic
}

// longestID is the length of the longest id: the prefix and a UUID.
const longestID = len(IDPrefix) + 36

// isUUID reports whether s is a UUID, with or without dashes: an id of earlier programs.
func isUUID(s string) bool {
	if plain := strings.ReplaceAll(s, "-", ""); len(plain) != 32 || len(s) != 32 && len(s) != 36 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

func isLowerAlnum(s string) bool {
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// Place is a range of lines of a file.
type Place struct {
	Path        string // in an Anchored relative to the repository, with slashes
	First, Last int    // lines, from 1; 0: the whole file
}

// PlaceForms says how a place is written, for hints.
const PlaceForms = "use PATH, PATH:LINE, PATH:FIRST-LAST, PATH#L3 or PATH#L3-L9; lines count from 1"

// ParsePlace reads a file and lines as people, compilers and forges write them: "PATH", "PATH:3", "PATH:3-9"
// and "PATH:L3-L9", "PATH:3:14" with a column, "PATH#L3", "PATH#L3-L9" and "PATH#L3C1-L9C2". A path may contain
// blanks, colons and a drive letter: what follows its last colon or hash and is not a line belongs to it.
// Columns are ignored. No path and impossible lines are CodeInvalid.
//
// Source of the forms with a hash: "Creating a permanent link to a code snippet" of GitHub's manual.
func ParsePlace(s string) (Place, error) {
	p := Place{Path: strings.TrimSpace(s)}
	if at := strings.LastIndexAny(p.Path, ":#"); at > 0 {
		if first, last, is := lineRange(p.Path[at+1:], p.Path[at] == '#'); is {
			p.Path, p.First, p.Last = withoutColumn(p.Path[:at], p.Path[at+1:], first, last)
		}
	}
	switch {
	case p.Path == "":
		return Place{}, Errorf(CodeInvalid, "file name is empty").WithHint(PlaceForms)
	case p.First == 0 && p.Last == 0:
	case p.First < 1 || p.Last > maxLine:
		return Place{}, Errorf(CodeInvalid, "%.80q names an impossible line", s).WithHint(PlaceForms)
	case p.Last < p.First:
		return Place{}, Errorf(CodeInvalid, "%.80q names lines in reverse order", s).WithHint(PlaceForms)
	}
	return p, CheckText("path", p.Path, 4*MaxAnchorPath)
}

// withoutColumn returns a place without its column, as compilers and searches write it: "a.go:12:5".
func withoutColumn(path, lines string, first, last int) (string, int, int) {
	colon := strings.LastIndexByte(path, ':')
	if colon < 1 || !digits(lines) || !digits(path[colon+1:]) || endsInNumber(path[:colon]) {
		return strings.TrimSpace(path), first, last
	}
	line := lineNumber(path[colon+1:])
	return strings.TrimSpace(path[:colon]), line, line
}

// endsInNumber reports whether the text behind the last colon could be a line.
func endsInNumber(path string) bool {
	colon := strings.LastIndexByte(path, ':')
	return colon > 0 && digits(path[colon+1:])
}

// maxLine exceeds the lines of any file that is read.
const maxLine = 1 << 24

// lineRange reads one or two lines. Behind a hash they need an L, because a file's name may contain a hash and
// a number.
func lineRange(s string, hash bool) (first, last int, is bool) {
	if hash && !strings.HasPrefix(s, "L") {
		return 0, 0, false
	}
	from, to, several := strings.Cut(s, "-")
	if !several {
		to = from
	}
	from, isFrom := lineDigits(from, hash)
	to, isTo := lineDigits(to, hash)
	if !isFrom || !isTo {
		return 0, 0, false
	}
	return lineNumber(from), lineNumber(to), true
}

// lineDigits returns the digits of a line, with or without an L before them and, behind a hash, a column after
// them.
func lineDigits(s string, hash bool) (string, bool) {
	s = strings.TrimPrefix(s, "L")
	if line, column, has := strings.Cut(s, "C"); hash && has && digits(column) {
		s = line
	}
	return s, digits(s)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// lineNumber returns the number; too many digits give one above maxLine, and 0 gives -1, because line 0 of a
// Place means the whole file.
func lineNumber(s string) (n int) {
	for _, r := range s {
		n = min(n*10+int(r-'0'), maxLine+1)
	}
	if n == 0 {
		return -1
	}
	return n
}

// Lines returns "12" or "12-20"; "" for the whole file.
func (p Place) Lines() string {
	switch {
	case p.First == 0:
		return ""
	case p.First == p.Last:
		return strconv.Itoa(p.First)
	}
	return strconv.Itoa(p.First) + "-" + strconv.Itoa(p.Last)
}

// String returns what ParsePlace reads. Lines follow a hash when the path ends like a line.
func (p Place) String() string {
	switch {
	case p.First == 0:
		return p.Path
	case p.First == p.Last && endsInNumber(p.Path):
		return p.Path + "#L" + p.Lines()
	}
	return p.Path + ":" + p.Lines()
}
