package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// relationsOfSQL takes ?3 relations for each of the memories ?1 and of the verbs ?2 from
// the ends of relations_source and relations_target: nothing is sorted or left over, and
// no more is read than is given.
const relationsOfSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num IN (
	SELECT n.num FROM json_each(?1) m JOIN json_each(?2) v JOIN relations n ON n.num IN (
		SELECT num FROM relations WHERE source = m.value AND verb = v.value AND removed_at IS NULL ORDER BY num DESC LIMIT ?3)
	UNION SELECT n.num FROM json_each(?1) m JOIN json_each(?2) v JOIN relations n ON n.num IN (
		SELECT num FROM relations WHERE target = m.value AND verb = v.value AND removed_at IS NULL ORDER BY num DESC LIMIT ?3)
	) ORDER BY r.num`

// RelationsOf returns the newest relations of each memory by verb and direction.
func (t *tx) RelationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, most int) ([]engram.Relation, error) {
	if len(memories) == 0 {
		return nil, nil
	}
	if verbs == nil {
		verbs = engram.Verbs()
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	if u == nil {
		return t.relations(ctx, relationsOfSQL, jsonNums(memories), jsonText(verbs), most)
	}
	key := tiesOf{verbs: jsonText(verbs), most: most}
	var all []*engram.Relation
	var unread []int64
	for _, key.memory = range memories {
		if ties, known := u.ties[key]; known {
			all = append(all, ties...)
		} else {
			unread = append(unread, key.memory)
		}
	}
	if len(unread) > 0 {
		read, err := t.relations(ctx, relationsOfSQL, jsonNums(unread), key.verbs, most)
		if err != nil {
			return nil, err
		}
		all = append(all, u.keepTies(key, unread, read)...)
	}
	slices.SortFunc(all, func(a, b *engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	all = slices.CompactFunc(all, func(a, b *engram.Relation) bool { return a.Num == b.Num })
	given := make([]engram.Relation, len(all))
	for i, r := range all {
		given[i] = *r
	}
	return given, nil
}

// keepTies keeps for each of the memories which of all were read for it.
func (u *unchanged) keepTies(key tiesOf, memories []int64, all []engram.Relation) []*engram.Relation {
	const row = 400 // bytes that one takes beside its texts
	size := 150 * len(memories)
	for _, r := range all {
		size += row + len(r.Reason) + len(r.Evidence)
	}
	u.grow(size)
	lists := make(map[int64][]*engram.Relation, len(memories))
	for _, num := range memories {
		lists[num] = nil
	}
	type end struct {
		memory   int64
		verb     engram.Verb
		outgoing bool
	}
	given := map[end]int{}
	read := make([]*engram.Relation, 0, len(all))
	// The newest first: what was read for its other end may be more than this one is given.
	for _, r := range slices.Backward(all) {
		read = append(read, &r)
		for _, e := range []end{{r.Source, r.Verb, true}, {r.Target, r.Verb, false}} {
			list, asked := lists[e.memory]
			if given[e]++; asked && given[e] <= key.most {
				lists[e.memory] = append(list, &r)
			}
		}
	}
	for key.memory = range lists {
		u.ties[key] = lists[key.memory]
	}
	return read
}

// relationsBetweenSQL is served by relations_live.
const relationsBetweenSQL = `SELECT ` + relationColumns + ` FROM relations r WHERE r.num IN (
	SELECT num FROM relations WHERE source = ?1 AND target = ?2 AND removed_at IS NULL
	UNION SELECT num FROM relations WHERE source = ?2 AND target = ?1 AND removed_at IS NULL) ORDER BY r.num`

// RelationsBetween returns the relations of two memories with each other.
func (t *tx) RelationsBetween(ctx context.Context, a, b int64) ([]engram.Relation, error) {
	return t.relations(ctx, relationsBetweenSQL, a, b)
}
