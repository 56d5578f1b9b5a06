package storetest

import (
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
)

func groupCases() []testCase {
	typed := func(t engram.Type) func(*engram.Memory) { return func(m *engram.Memory) { m.Type = t } }
	other := func(m *engram.Memory) { m.Project, m.SessionID = "other", "s-other" }
	return []testCase{
		{"memories are counted by type and by project, most first", func(k *kit) {
			k.save(typed("fact"))
			k.save(typed("bugfix"), other)
			k.save(typed("bugfix"))
			k.forget(k.save(typed("bugfix")), 50)
			k.forget(k.save(typed("insight")), 51)
			for _, tt := range []struct {
				by      engram.Grouping
				project string
				since   time.Time
				want    string
			}{
				{engram.ByType, "", time.Time{}, "[{bugfix 2 1} {fact 1 0} {insight 0 1}]"},
				{engram.ByType, "app", time.Time{}, "[{bugfix 1 1} {fact 1 0} {insight 0 1}]"},
				{engram.ByType, "", at(2), "[{bugfix 2 1} {insight 0 1}]"},
				{engram.ByType, "app", at(3), "[{bugfix 1 1} {insight 0 1}]"},
				{engram.ByType, "nope", time.Time{}, "[]"},
				{engram.ByProject, "", time.Time{}, "[{app 2 2} {other 1 0}]"},
				{engram.ByProject, "other", time.Time{}, "[{other 1 0}]"},
				{engram.ByProject, "", at(3), "[{app 1 2}]"},
				{engram.ByProject, "", at(6), "[]"},
			} {
				k.view(func(r engram.Reader) error {
					got, err := r.MemoriesBy(k.Context(), tt.by, tt.project, tt.since)
					k.same(fmt.Sprintf("by %s in %q since %v", tt.by, tt.project, tt.since), fmt.Sprint(got), tt.want)
					return err
				})
			}
		}},
		{"revisions, and memories that are due, are counted", func(k *kit) {
			due := func(n int) func(*engram.Memory) { return func(m *engram.Memory) { m.ReviewAfter = at(n) } }
			m := k.save(due(10))
			k.save(due(20), other)
			k.forget(k.save(due(10)), 50)
			for n := range 3 {
				k.update(func(tx engram.Tx) error {
					return tx.InsertRevision(k.Context(), engram.Revision{Memory: m.Num, Number: n + 1, Title: "t", Content: "c", WrittenAt: at(1), ReplacedAt: at(2)})
				})
			}
			for project, want := range map[string]engram.Upkeep{"": {Revisions: 3, Due: 2}, "app": {Revisions: 3, Due: 1}, "other": {Due: 1}, "nope": {}} {
				k.view(func(r engram.Reader) error {
					got, err := r.Upkeep(k.Context(), project, at(30))
					k.same(fmt.Sprintf("in %q", project), got, want)
					return err
				})
			}
			k.view(func(r engram.Reader) error {
				got, err := r.Upkeep(k.Context(), "", at(10))
				k.same("what is due just now is not overdue", got.Due, 0)
				return err
			})
		}},
	}
}
