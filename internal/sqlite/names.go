package sqlite

import "strings"

// names are numbers that a transaction has looked up, by what they are the numbers of. A
// statement that may give a name another number empties them.
type names struct {
	projects map[string]int64
	sessions map[string]int64
	kinds    map[kind]uint32
	models   map[string]model // for writing: changes may be older
}

// mostNames is how many numbers of a kind are kept.
const mostNames = 4096

func (n names) some() bool {
	return len(n.projects)+len(n.sessions)+len(n.kinds)+len(n.models) > 0
}

// keep keeps the number of a name.
func keep[K comparable, N any](in *map[K]N, name K, num N) {
	if *in == nil || len(*in) >= mostNames {
		*in = map[K]N{}
	}
	(*in)[name] = num
}

// renames reports whether a statement may change what has which number. What only adds
// a name does not: a name that nobody has is not kept.
func renames(query string) bool {
	for _, table := range []string{"projects", "project_aliases", "DELETE FROM sessions", "kinds", "DELETE FROM models"} {
		if strings.Contains(query, table) {
			return true
		}
	}
	return false
}
