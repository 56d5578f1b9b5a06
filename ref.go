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
