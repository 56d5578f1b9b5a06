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

// Names of notes have letters, digits and hyphens, lower case and composed, and end in a piece of
// the memory's ID: no file system confuses two of them, and none is a device name. Their length
// fits the 260 characters of a Windows path.
const (
	stemBytes    = 80
	projectBytes = 60
	typeBytes    = 40
	suffix       = ".md"
	asideSuffix  = ".conflict" + suffix
)

// slug turns a title into words; "" if it has neither letters nor digits.
func slug(title string, most int) string {
	var b strings.Builder
	parted, based := false, false // a hyphen is due; a mark has a base letter
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

// cut shortens s to at most most bytes, between letters, and between words unless that loses half
// of it.
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

// folder returns a folder name: name itself if possible, otherwise a similar one with a digest, so
// that no two share a folder.
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
		safe = strings.ReplaceAll(safe, ".", "-") // the part before a dot is the device
	}
	return strings.Trim(safe+"-"+digest([]byte(name))[:6], "-")
}

// noProject is the folder of memories without a project. No project's folder begins with an
// underscore.
const noProject = "_no-project"

func projectFolder(name string) string {
	if name == "" {
		return noProject
	}
	return folder(name, projectBytes)
}

// reserved reports names that Windows keeps for devices, with any extension.
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

// noteName returns the path of a memory's note, with tail characters of its ID.
func noteName(p engram.NotePlace, tail int) string {
	stem := cmp.Or(slug(p.Title, stemBytes), "memory")
	return path.Join(projectFolder(p.Project), folder(string(p.Type), typeBytes), stem+"-"+idTail(p.ID, tail)+suffix)
}

// idTail returns the last n characters of an ID, the random ones.
func idTail(id engram.ID, n int) string {
	s := cmp.Or(slug(strings.TrimPrefix(string(id), engram.IDPrefix), 2*len(id)), digest([]byte(id)))
	return s[max(0, len(s)-n):]
}

// hubFolder returns the folder of the hubs of a kind.
func hubFolder(k engram.HubKind) string { return "_" + string(k) + "s" }

// hubName returns the path of a hub, which depends on its kind and key alone.
func hubName(h engram.Hub) string {
	_, key, _ := strings.Cut(h.Name(), ":")
	return path.Join(hubFolder(h.Kind), cmp.Or(slug(key, stemBytes), "hub")+"-"+digest([]byte(h.Name()))[:6]+suffix)
}

// sameFile returns what two names share that some file system takes for the same.
func sameFile(name string) string { return strings.ToLower(text.Compose(name)) }

// digest returns 32 hex digits.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
