package markdown

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Names of notes are made of letters, digits and hyphens, in lower case and composed
// letters, and end in a piece of the memory's ID: no file system takes two of them for one,
// and none has them as the name of a device. What they are cut to leaves room under the 260
// characters of a path on Windows.
const (
	stemBytes    = 80
	projectBytes = 60
	typeBytes    = 40
	suffix       = ".md"
	asideSuffix  = ".conflict" + suffix
)

// slug makes words of a title; "" where it has neither letters nor digits.
func slug(title string, most int) string {
	var b strings.Builder
	parted, based := false, false // a hyphen is due; a mark has a letter to stand on
	for _, r := range text.Compose(strings.ToLower(strings.ToValidUTF8(title, ""))) {
		switch {
		case unicode.In(r, unicode.L, unicode.N):
			based = true
		case unicode.Is(unicode.M, r) && based && !unicode.Is(unicode.Variation_Selector, r):
		default:
			parted, based = true, false
			continue
		}
		if parted && b.Len() > 0 {
			b.WriteByte('-')
		}
		parted = false
		b.WriteRune(r)
	}
	// Lower case may be decomposed where upper case was not.
	return strings.TrimRight(cut(text.Compose(b.String()), most), "-")
}

// cut shortens s to so many bytes, between letters, and between words where that does not
// cost half of it.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	for most > 0 {
		r, _ := utf8.DecodeRuneInString(s[most:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		_, size := utf8.DecodeLastRuneInString(s[:most])
		most -= size
	}
	s = s[:most]
	if i := strings.LastIndexByte(s, '-'); i > most/2 {
		s = s[:i]
	}
	return s
}

// folder makes the name of a folder: name itself where it can be one, else what is like it
// and a number that belongs to it, so that two of them are never one folder.
func folder(name string, most int) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.M), r == '-', r == '_', r == '.', r == ' ':
			return r
		}
		return '-'
	}, text.Compose(strings.ToLower(strings.ToValidUTF8(name, "-"))))
	safe = strings.Trim(cut(safe, most), ". ")
	safe = strings.TrimLeft(safe, "_-")
	if safe == name && !reserved(safe) {
		return safe
	}
	if reserved(safe) {
		safe = strings.ReplaceAll(safe, ".", "-") // what stands before a dot is the device
	}
	return strings.Trim(safe+"-"+digest([]byte(name))[:6], "-")
}

// noProject is the folder of memories of no project: no project can be called so, for its
// folder would not begin with an underscore.
const noProject = "_no-project"

func projectFolder(name string) string {
	if name == "" {
		return noProject
	}
	return folder(name, projectBytes)
}

// reserved reports names that Windows keeps for devices, whatever follows a dot.
func reserved(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	name = strings.TrimRight(name, " ")
	if slices.Contains([]string{"con", "prn", "aux", "nul", "conin$", "conout$", ""}, name) {
		return true
	}
	for _, port := range []string{"com", "lpt"} {
		if n, is := strings.CutPrefix(name, port); is && utf8.RuneCountInString(n) == 1 && strings.ContainsAny(n, "0123456789¹²³") {
			return true
		}
	}
	return false
}

// noteName is where the note of a memory stands, with so many characters of its ID.
func noteName(p engram.NotePlace, tail int) string {
	stem := cmp.Or(slug(p.Title, stemBytes), "memory")
	return path.Join(projectFolder(p.Project), folder(string(p.Type), typeBytes), stem+"-"+idTail(p.ID, tail)+suffix)
}

// idTail is the last so many characters of an ID: those that chance made.
func idTail(id engram.ID, n int) string {
	s := cmp.Or(slug(strings.TrimPrefix(string(id), engram.IDPrefix), 2*len(id)), digest([]byte(id)))
	return s[max(0, len(s)-n):]
}

// hubFolder is where the hubs of a kind stand.
func hubFolder(k engram.HubKind) string { return "_" + string(k) + "s" }

// hubName is where a hub stands.
func hubName(h engram.Hub) string {
	return path.Join(hubFolder(h.Kind), hubStem(h.Name())+suffix)
}

// hubStem is what the note of a hub is called: it comes from its key alone.
func hubStem(name string) string {
	_, key, _ := strings.Cut(name, ":")
	return cmp.Or(slug(key, stemBytes), "hub") + "-" + digest([]byte(name))[:6]
}

// sameFile is what two names have in common that a file system may take for one.
func sameFile(name string) string { return strings.ToLower(text.Compose(name)) }

// digest is 32 hex digits of what a file says.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
