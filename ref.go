package engram

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Ref is how somebody outside names a memory: by number, by ID or the beginning
// of one, by sync id, or by topic key. Exactly one field is set, beside Project.
type Ref struct {
	Num    int64
	ID     string // a whole ID, an unambiguous beginning with "mem_", or the id that an earlier program gave (SyncIDOf)
	SyncID string
	Topic  string
	// Project narrows a Topic; "" looks in every project.
	Project string
}

// idLength is the length of a whole ID: the prefix and 26 characters.
const idLength = len(IDPrefix) + 26

// ByNum is the Ref of a memory's number.
func ByNum(num int64) Ref { return Ref{Num: num} }

// ByID is the Ref of a whole memory ID.
func ByID(id ID) Ref { return Ref{ID: string(id)} }

// SyncIDOf is the sync id of a memory that has no other: "obs-" and a digest of its ID. A
// memory that comes from a program whose ids are not of our form has it of its id there, by
// which it is found again.
func SyncIDOf(id ID) string {
	sum := sha256.Sum256([]byte(id))
	return "obs-" + hex.EncodeToString(sum[:8])
}

// ParseRef reads "12", "#12", "mem_01k…" (whole or shortened), "obs-0123456789abcdef",
// "topic:architecture/auth-model" and the ids of earlier programs: "mem_abc123", "mem_" or
// nothing before a UUID. A # before an id, as older texts have it, is passed over. Anything
// else is an *Error of CodeInvalid.
func ParseRef(s string) (Ref, error) {
	s = strings.TrimSpace(s)
	bad := func() (Ref, error) {
		if len(s) > longestID || strings.ContainsAny(s, "<>") {
			s = "this" // a text that was pasted by mistake, perhaps a private one
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

// Whole reports whether an ID is complete, so that it needs no search by prefix.
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

// isUUID reports the ids of earlier programs that are UUIDs, with or without their dashes.
func isUUID(s string) bool {
	if plain := strings.ReplaceAll(s, "-", ""); len(plain) != 32 || len(s) != 32 && len(s) != 36 {
		return false
	}
	return strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

func isLowerAlnum(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Place is a stretch of a file.
type Place struct {
	Path        string // in an Anchored from the root of the repository, with slashes
	First, Last int    // lines, from 1; 0: the whole file
}

// PlaceForms says how a place is written, for hints.
const PlaceForms = "PATH, PATH:LINE, PATH:FIRST-LAST, or as a forge links to it, PATH#L3 and PATH#L3-L9; lines count from 1"

// ParsePlace reads a file and lines of it as people, compilers and forges write them: "PATH",
// "PATH:3", "PATH:3-9" and "PATH:L3-L9", "PATH:3:14" with a column, "PATH#L3", "PATH#L3-L9" and
// "PATH#L3C1-L9C2". A path may have blanks, colons and the letter of a drive in it: what stands
// behind its last colon or hash and is no lines belongs to it. Columns are passed over.
// CodeInvalid for no path, and for lines that cannot be.
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
		return Place{}, Errorf(CodeInvalid, "a file has no name").WithHint(PlaceForms)
	case p.First == 0 && p.Last == 0:
	case p.First < 1 || p.Last > maxLine:
		return Place{}, Errorf(CodeInvalid, "%.80q names a line that no file has", s).WithHint(PlaceForms)
	case p.Last < p.First:
		return Place{}, Errorf(CodeInvalid, "%.80q names lines that run backwards", s).WithHint(PlaceForms)
	}
	return p, CheckText("path", p.Path, 4*MaxAnchorPath)
}

// withoutColumn is a place whose lines may be the column of a line before them, as compilers and
// searches write it: "a.go:12:5".
func withoutColumn(path, lines string, first, last int) (string, int, int) {
	colon := strings.LastIndexByte(path, ':')
	if colon < 1 || !digits(lines) || !digits(path[colon+1:]) || endsInNumber(path[:colon]) {
		return strings.TrimSpace(path), first, last
	}
	line := lineNumber(path[colon+1:])
	return strings.TrimSpace(path[:colon]), line, line
}

// endsInNumber reports whether what stands behind the last colon could be a line.
func endsInNumber(path string) bool {
	colon := strings.LastIndexByte(path, ':')
	return colon > 0 && digits(path[colon+1:])
}

// maxLine is more lines than any file that is looked at has.
const maxLine = 1 << 24

// lineRange reads one or two lines. Behind a hash they have an L before them, or a file of which
// a number is part of the name could not be named.
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

// lineDigits are the digits of a line: with or without an L before them, and of one behind a hash
// perhaps with a column.
func lineDigits(s string, hash bool) (string, bool) {
	s = strings.TrimPrefix(s, "L")
	if line, column, has := strings.Cut(s, "C"); hash && has && digits(column) {
		s = line
	}
	return s, digits(s)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// lineNumber is the number of digits. Too many are one that is none of a line, and so is -1 for 0:
// a Place with line 0 is a whole file, for which nobody asked.
func lineNumber(s string) (n int) {
	for _, r := range s {
		n = min(n*10+int(r-'0'), maxLine+1)
	}
	if n == 0 {
		return -1
	}
	return n
}

// Lines are the lines of a place, "12" or "12-20"; "" for the whole file.
func (p Place) Lines() string {
	switch {
	case p.First == 0:
		return ""
	case p.First == p.Last:
		return strconv.Itoa(p.First)
	}
	return strconv.Itoa(p.First) + "-" + strconv.Itoa(p.Last)
}

// String is what ParsePlace reads. A path that ends in what could be a line itself has its lines
// behind a hash.
func (p Place) String() string {
	switch {
	case p.First == 0:
		return p.Path
	case p.First == p.Last && endsInNumber(p.Path):
		return p.Path + "#L" + p.Lines()
	}
	return p.Path + ":" + p.Lines()
}
