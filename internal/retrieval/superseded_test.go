package retrieval_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestSuperseded(t *testing.T) {
	over := func(source, target int64) engram.Relation { return tied(source, engram.VerbSupersedes, target) }
	at := func(hour int, r engram.Relation) engram.Relation {
		r.UpdatedAt = time.Date(2026, 6, 12, hour, 0, 0, 0, time.UTC)
		return r
	}
	pending := over(2, 1)
	pending.Status = engram.RelationPending
	for _, tt := range []struct {
		name      string
		hits      []engram.Ranked
		relations []engram.Relation
		want      string
	}{
		{"nothing found", nil, []engram.Relation{over(2, 1)}, ""},
		{"nothing superseded", found(3, 2), nil, "1:3 2:2"},
		{"the new one comes before the old one", found(3, 2, 1), []engram.Relation{over(3, 1)}, "3:3 1:3(by 3) 2:2"},
		{"it stays where it is when it does already", found(3, 2, 1), []engram.Relation{over(1, 3)}, "1:3 2:2 3:1(by 1)"},
		{"it is pulled in when it was not found", found(3, 2), []engram.Relation{over(9, 2)}, "1:3 9:2(for 2) 2:2(by 9)"},
		{"of a chain the newest comes first", found(3, 2, 1), []engram.Relation{over(2, 1), over(9, 3), over(3, 2)}, "9:3(for 1) 3:3(by 9) 2:3(by 3) 1:3(by 2)"},
		{"one that replaced two comes before the first", found(3, 2, 1), []engram.Relation{over(9, 1), over(9, 3)}, "9:3(for 1) 1:3(by 9) 2:2 3:1(by 9)"},
		{"one that was replaced twice comes behind both", found(3, 2), []engram.Relation{at(1, over(8, 1)), at(2, over(9, 1)), over(2, 1)}, "2:3 9:3(for 1) 8:3(for 1) 1:3(by 2)"},
		{"said twice is said once", found(3), []engram.Relation{over(9, 1), over(9, 1)}, "9:3(for 1) 1:3(by 9)"},
		{"nothing supersedes itself", found(3), []engram.Relation{over(1, 1)}, "1:3"},
		{"of judgements that contradict one another the latest holds", found(3, 2), []engram.Relation{at(2, over(1, 2)), at(1, over(2, 1))}, "1:3 2:2(by 1)"},
		{"also round a longer circle", found(3, 2, 1), []engram.Relation{at(1, over(1, 3)), at(2, over(3, 2)), at(3, over(2, 1))}, "3:3 2:3(by 3) 1:3(by 2)"},
		{"a candidate changes nothing", found(3, 2), []engram.Relation{pending}, "1:3 2:2"},
		{"nor do other verbs", found(3, 2), []engram.Relation{tied(2, engram.VerbEvolvedFrom, 1)}, "1:3 2:2"},
		{"nor relations of others", found(3), []engram.Relation{over(9, 8)}, "1:3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for i, p := range retrieval.Superseded(tt.hits, tt.relations) {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%d:%v", p.Num, p.Score)
				if p.For != 0 {
					got += fmt.Sprintf("(for %d)", p.For)
				}
				if p.By != 0 {
					got += fmt.Sprintf("(by %d)", p.By)
				}
			}
			if got != tt.want {
				t.Errorf("Superseded(%v, %v)\n got %s\nwant %s", tt.hits, tt.relations, got, tt.want)
			}
		})
	}
}

func TestSupersededKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		finds, relations := drawGraph(t)
		slices.SortFunc(finds, func(a, b engram.Ranked) int { return int(b.Num - a.Num) })
		for i := range finds {
			finds[i].Score = float64(len(finds) - i)
		}
		acyclic := rapid.Bool().Draw(t, "acyclic")
		if acyclic {
			relations = slices.DeleteFunc(relations, func(r engram.Relation) bool { return r.Source <= r.Target })
		}
		got := retrieval.Superseded(finds, relations)
		place := map[int64]int{}
		for i, p := range got {
			if _, twice := place[p.Num]; twice {
				t.Fatalf("#%d stands twice: %+v", p.Num, got)
			}
			place[p.Num] = i
			if i > 0 && got[i-1].Score < p.Score {
				t.Fatalf("scores rise: %+v", got)
			}
		}
		var plain []engram.Ranked
		for _, p := range got {
			plain = append(plain, p.Ranked)
			if by, there := place[p.By]; p.By != 0 && (!there || by > place[p.Num]) {
				t.Errorf("#%d is not behind #%d: %+v", p.Num, p.By, got)
			}
			if was := slices.IndexFunc(finds, func(f engram.Ranked) bool { return f.Num == p.Num }); (was < 0) != (p.For != 0) {
				t.Errorf("#%d: found at %d, pulled in for %d", p.Num, was, p.For)
			}
		}
		for _, f := range finds {
			if _, there := place[f.Num]; !there {
				t.Errorf("#%d is lost: %+v", f.Num, got)
			}
		}
		for _, r := range relations {
			if _, there := place[r.Target]; there && acyclic && r.Verb == engram.VerbSupersedes && r.Status == engram.RelationJudged && place[r.Source] > place[r.Target] {
				t.Errorf("#%d stands before #%d, which supersedes it: %+v", r.Target, r.Source, got)
			}
		}
		// What stands in its place does not move again.
		var again []engram.Ranked
		for _, p := range retrieval.Superseded(plain, relations) {
			again = append(again, p.Ranked)
		}
		if !reflect.DeepEqual(again, plain) {
			t.Errorf("a second time\n got %v\nwant %v", again, plain)
		}
	})
}
