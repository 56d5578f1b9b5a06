package engine

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/render"
)

// How much is told about a file, and how much is looked at for it.
const (
	fileMost  = 3
	fileDepth = 30
)

// byPath finds what is anchored to a file, and then what names it; once for each file of
// a session.
func (t *reminding) byPath(ctx context.Context) error {
	places := attend.Places(t.in.Directory, t.in.Path)
	if len(places) == 0 {
		return nil
	}
	t.head, t.asked = render.RemindOfFile, "file: "+places[0]
	var hits []engram.Hit
	err := t.store.View(ctx, func(r engram.Reader) error {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		anchored, err := t.anchored(ctx, r, places)
		hits = anchored
		return err
	})
	if err != nil {
		return err
	}
	if len(hits) < fileMost {
		named, err := t.naming(ctx, places[0])
		if err != nil {
			return err
		}
		hits = append(hits, named...)
	}
	return t.store.View(ctx, func(r engram.Reader) error { return t.aboutFile(ctx, r, hits) })
}

// aboutFile keeps of hits what may be told about a file that was not told about before.
func (t *reminding) aboutFile(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	known := map[int64]bool{}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool {
		num := h.Memory.Num
		out := t.seen[num] || known[num] || h.Memory.Forgotten() || !h.Memory.ValidTo.IsZero() && !h.Memory.ValidTo.After(t.at)
		known[num] = true
		return out
	})
	if len(hits) == 0 {
		return nil
	}
	if told, err := t.toldBefore(ctx, r); err != nil || told && !t.in.Again {
		return err
	}
	if err := t.annotate(ctx, r, hits); err != nil {
		return err
	}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool { return h.Repeats != 0 || successor(h) != 0 })
	hits, err := t.trusted(ctx, r, hits[:min(len(hits), 2*fileMost)])
	t.hits = hits[:min(len(hits), fileMost)]
	return err
}

// toldBefore reports whether the session was told something for this question before.
func (t *reminding) toldBefore(ctx context.Context, r engram.Reader) (bool, error) {
	if t.session.ID == "" {
		return false, nil
	}
	uses, err := usesOf(ctx, r, t.session.ID)
	return slices.ContainsFunc(uses, func(u engram.Use) bool { return u.Verb == useRemind && u.Query == t.asked }), err
}

// anchored are the memories that are tied to a file, by any of the names it may have in its
// repository.
func (t *reminding) anchored(ctx context.Context, r engram.Reader, places []string) ([]engram.Hit, error) {
	if t.in.Project == "" {
		return nil, nil
	}
	var hits []engram.Hit
	for _, p := range places {
		ms, err := r.Anchored(ctx, t.in.Project, p, fileDepth)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			hits = append(hits, engram.Hit{Memory: m})
		}
	}
	return hits, nil
}

// naming are the memories whose text names a file: by its path, by the end of it, or by its
// own name where hardly another file is called so and the text does not say that another
// one is meant.
func (t *reminding) naming(ctx context.Context, place string) ([]engram.Hit, error) {
	names := attend.NamesOf(place)
	if len(names) == 0 || t.in.Project == "" {
		return nil, nil
	}
	found, err := t.Engine.find(ctx, SearchInput{Query: path.Base(place), All: true, Mode: ModeLexical, Limit: fileDepth, Own: true, Filter: engram.Filter{Project: t.in.Project}})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Hits, func(h engram.Hit) bool {
		said := strings.ToLower(h.Memory.Title + "\n" + h.Memory.Content)
		return attend.Elsewhere(said, strings.ToLower(place)) || !slices.ContainsFunc(names, func(n string) bool { return attend.Names(said, strings.ToLower(n)) })
	}), nil
}
