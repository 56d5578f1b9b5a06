package memory

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

// mostCompletions is how many completions an answer has, by the protocol.
const mostCompletions = 100

// Completions are the values that an argument may have.
type Completions struct {
	Values []string // at most 100
	More   bool     // there are others
	Total  int      // how many there are; 0 when nobody counted
}

// Complete returns the values of an argument that begin with what was written so far, in
// any case: project, type and topic, of the project in force or of the one that was chosen
// before. Of other arguments, and where no project is in force, nothing is known.
func (d *Dialect) Complete(ctx context.Context, argument, prefix, chosen string) (Completions, error) {
	switch argument {
	case "project":
		all, err := d.engine.Projects(ctx)
		return completions(document.Each(all, func(p engram.ProjectCounts) string { return p.Name }), prefix), err
	case "type", TopicArg:
	default:
		return Completions{Values: []string{}}, nil
	}
	at, err := d.reading(ctx, chosen)
	if code := engram.CodeOf(err); code == engram.CodeNotFound || code == engram.CodeConflict {
		return Completions{Values: []string{}}, nil
	}
	if err != nil {
		return Completions{}, err
	}
	if argument == TopicArg {
		keys, err := d.engine.Topics(ctx, at.Name, prefix, mostCompletions+1)
		if len(keys) > mostCompletions {
			return Completions{Values: keys[:mostCompletions], More: true}, err
		}
		return Completions{Values: document.OrEmpty(keys), Total: len(keys)}, err
	}
	names := map[string]bool{}
	for _, t := range engram.KnownTypes() {
		names[string(t)] = true
	}
	st, err := d.engine.Stats(ctx, at.Name)
	if err != nil && engram.CodeOf(err) != engram.CodeNotFound { // a project that has nothing yet
		return Completions{}, err
	}
	for t := range st.Types {
		names[string(t)] = true
	}
	return completions(slices.Sorted(maps.Keys(names)), prefix), nil
}

// completions are those of all that begin with prefix.
func completions(all []string, prefix string) Completions {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	fit := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return !strings.HasPrefix(strings.ToLower(v), prefix) })
	n := min(len(fit), mostCompletions)
	return Completions{Values: document.OrEmpty(fit[:n]), More: len(fit) > n, Total: len(fit)}
}
