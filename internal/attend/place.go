package attend

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// above is how many folders above the one that an agent works in may belong to the same
// repository.
const above = 3

// Places are the names that a file may have from the root of its repository, the likeliest
// first, with slashes: file as it is below dir, then below the folders above it, whose
// names come before. nil for a file outside dir, which is of no repository that is known.
func Places(dir, file string) []string {
	if file == "" {
		return nil
	}
	if filepath.IsAbs(file) {
		rel, err := filepath.Rel(dir, file)
		if dir == "" || err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil
		}
		file = rel
	}
	place := path.Clean(filepath.ToSlash(file))
	if place == "." || strings.HasPrefix(place, "../") {
		return nil
	}
	all := []string{place}
	dir = path.Clean(filepath.ToSlash(dir))
	for range above {
		name := path.Base(dir)
		if name == "/" || name == "." || name == "" || strings.HasSuffix(name, ":") {
			break
		}
		place, dir = name+"/"+place, path.Dir(dir)
		all = append(all, place)
	}
	return all
}

// NamesOf are the ways in which a text may name a file: its path, its name with the folder
// it is in, and its name alone where hardly another file is called so.
func NamesOf(place string) []string {
	base := path.Base(place)
	names := []string{place}
	if dir := path.Base(path.Dir(place)); dir != "." {
		names = append(names, dir+"/"+base)
	}
	if !common(base) {
		names = append(names, base)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(n string) bool { return n == base && common(base) })
}

// common reports whether many projects, or many folders of one, have files of this name.
func common(base string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	if utf8.RuneCountInString(stem) < 4 {
		return true
	}
	return slices.Contains([]string{"main", "index", "init", "__init__", "package", "package-lock", "readme", "license", "changelog", "makefile", "dockerfile", "docker-compose",
		"types", "type", "utils", "util", "helpers", "helper", "common", "config", "settings", "constants", "const", "errors", "error", "test", "tests", "setup", "server", "client",
		"model", "models", "routes", "router", "handler", "handlers", "views", "view", "urls", "schema", "schemas", "styles", "style", "page", "layout", "cargo", "pyproject",
		"requirements", "tsconfig", "build", "version", "mod", "conftest", "manage", "admin", "apps", "tasks", "service", "services", "store", "root", "engine", "query", "data", "base", "core"}, stem)
}

// Names reports whether text has name, and not as a part of a longer word or another path.
func Names(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 || name == "" {
			return false
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if (at == 0 || !partOfName(before)) && (at+len(name) == len(text) || !partOfName(after) || after == '.' && ends(text[at+len(name)+1:])) {
			return true
		}
		from = at + 1
	}
}

func partOfName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '.'
}

// ends reports whether a full stop before rest ends a sentence.
func ends(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r)
}
