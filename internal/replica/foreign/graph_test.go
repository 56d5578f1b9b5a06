package foreign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

const graphLines = `{"type":"entity","name":"Ana","entityType":"person","observations":["Likes tea","Works at Acme"]}
{"type":"relation","from":"Ana","to":"Acme","relationType":"works_at"}
{"type":"entity","name":"Acme","entityType":"company","observations":["Makes anvils"]}

{"type":"entity","name":"Blank","entityType":"","observations":[]}
{"type":"relation","from":"Acme","to":"Ana","relationType":"employs"}
{"type":"relation","from":"Acme","to":"Blank","relationType":"replaced-by"}
{"type":"relation","from":"Ana","to":"Acme","relationType":"works_at"}
`

func TestAGraphBecomesEntitiesAndTies(t *testing.T) {
	dir := folder(t, map[string]string{"memory.jsonl": graphLines})
	for _, path := range []string{dir, filepath.Join(dir, "memory.jsonl")} {
		all := must(t, source.MCPMemory, path, source.Options{Here: "shop"})
		same(t, "titles", all.titles(), []string{"Ana", "Acme", "Blank"})
		same(t, "relations", all.relations(), []string{"Ana relates_to Acme: works_at; employs, said from the other end", "Blank supersedes Acme: replaced-by, said from the other end"})
		ana := all.memory(t, "Ana")
		if ana.Content != "- Likes tea\n- Works at Acme" || ana.Type != engram.TypeEntity || ana.Project != "shop" || !ana.UpdatedAt.Equal(fileTime()) {
			t.Errorf("Ana is %+v", ana)
		}
		if ana.Metadata["source"] != "mcp-memory" || ana.Metadata["source_id"] != "Ana" || ana.Metadata["entity_type"] != "person" || ana.Metadata["source_path"] != "memory.jsonl" {
			t.Errorf("Ana comes from %v", ana.Metadata)
		}
		if c := all.memory(t, "Acme").Content; c != "Makes anvils" {
			t.Errorf("one observation is %q, want it as it stands", c)
		}
		if c := all.memory(t, "Blank").Content; c != "Blank" {
			t.Errorf("an entity without observations says %q, want its name", c)
		}
	}
}

func TestLinesOfAGraphThatMakeNoSense(t *testing.T) {
	dir := folder(t, map[string]string{"g.jsonl": "\ufeff" + `{"type":"entity","name":"Ana","observations":["a"]}
broken
[1]
{"type":"entity","name":7}
{"type":"entity"}
{"type":"relation","from":"Ana"}
{"type":"else"}
{"type":"entity","name":"Ana","observations":["b"]}
{"type":"entity","name":"Long","observations":["` + strings.Repeat("x", 9<<20) + `"]}
{"type":"entity","name":"Last","observations":["no end of line"]}`})
	all := must(t, source.MCPMemory, filepath.Join(dir, "g.jsonl"), source.Options{})
	same(t, "flaws", all.flaws(), []string{"g.jsonl:2: the line is not a JSON object", "g.jsonl:3: the line is not a JSON object", "g.jsonl:4: name cannot be a number",
		"g.jsonl:5: the entity has no name", "g.jsonl:6: the relation lacks from or to", "g.jsonl:9: the line is longer than 8 MiB"})
	same(t, "titles", all.titles(), []string{"Ana", "Ana", "Last"})
	if all.memories[0].SyncID == all.memories[1].SyncID {
		t.Error("two entities of a name have one id: what the second says would be lost")
	}
	same(t, "notes", all.noted(), []string{`g.jsonl:7: left out: it is neither an entity nor a relation but "else"`})
}

func TestALineInAnotherEncodingIsToldAndNotMadeUp(t *testing.T) {
	dir := folder(t, map[string]string{"memory.jsonl": "{\"type\":\"entity\",\"name\":\"Caf\xe9\",\"observations\":[\"a\"]}\n{\"type\":\"entity\",\"name\":\"Ana\",\"observations\":[\"b\"]}\n"})
	all := must(t, source.MCPMemory, dir, source.Options{})
	same(t, "flaws", all.flaws(), []string{"memory.jsonl:1: the line is not valid UTF-8"})
	same(t, "titles", all.titles(), []string{"Ana"})
}

func TestAGraphThatIsCutOffIsRefused(t *testing.T) {
	for _, n := range []int{len(graphLines) - 3, strings.LastIndex(graphLines, "works_at")} {
		_, err := open(t, source.MCPMemory, folder(t, map[string]string{"memory.jsonl": graphLines[:n]}), source.Options{})
		if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), "is cut off") {
			t.Errorf("%q: %v, want CodeInvalid that says so", graphLines[:n], err)
		}
	}
	whole := must(t, source.MCPMemory, folder(t, map[string]string{"memory.jsonl": strings.TrimSuffix(graphLines, "\n")}), source.Options{})
	same(t, "titles of a file whose last line has no end", whole.titles(), []string{"Ana", "Acme", "Blank"})
}

func TestACopyUnderAnotherNameSaysTheSame(t *testing.T) {
	dir := folder(t, map[string]string{"memory.jsonl": graphLines, "copy.json": graphLines})
	a, b := must(t, source.MCPMemory, dir, source.Options{}), must(t, source.MCPMemory, filepath.Join(dir, "copy.json"), source.Options{})
	if !reflect.DeepEqual(a.memories, b.memories) {
		t.Errorf("got\n%+v\nof a copy under another name, want\n%+v", b.memories, a.memories)
	}
}

func FuzzGraph(f *testing.F) {
	f.Add([]byte(graphLines))
	f.Add([]byte("{\"type\":\"entity\",\"name\":\"\\u0000\"}\n\xff\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "g.jsonl")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := open(t, source.MCPMemory, name, source.Options{Here: "shop"})
		if err != nil && engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("read %q: %v, want nothing but CodeInvalid", text, err)
		}
		if lines := bytes.Count(text, []byte("\n")) + 1; len(all.records) > lines {
			t.Errorf("%d records of %d lines", len(all.records), lines)
		}
		for _, r := range all.records {
			if r.Item == "" || r.Entity() == "" && r.Flaw == nil {
				t.Errorf("record %+v of %q has no place or says nothing", r, text)
			}
		}
	})
}

func TestEntitiesOfAProjectGraphBringTheirRelations(t *testing.T) {
	for _, tt := range []struct {
		name, page string
		want       []string // from, verb, to
	}{
		{"a word and a colon", "## shop\n\n- uses: postgres, Redis (the cache)\n- owner: ana\n\n## Postgres\n\nport 5432\n\n## redis\n\nport 6380\n", []string{"shop relates_to Postgres uses", "shop relates_to redis uses"}},
		{"links of a wiki", "## shop\n\n- depends_on [[Billing]]\n- based on [[core]]\n\n## Billing\n\nx\n\n## core\n\ny\n", []string{"shop relates_to Billing depends_on", "shop derived_from core based on"}},
		{"arrows with a word", "## shop\n\nshop -> uses -> redis\n\n## redis\n\nredis --replaces--> memcached\n\n## memcached\n\ngone\n", []string{"shop relates_to redis uses", "redis supersedes memcached replaces"}},
		{"arrows from the entity itself", "## shop\n\n- → redis (cache)\n- calls -> billing\n\n## redis\n\nx\n\n## billing\n\ny\n", []string{"shop relates_to redis cache", "shop relates_to billing calls"}},
		{"a list alone", "- **shop**: the web shop\n- redis: the cache\n- shop -> caches in -> redis\n", []string{"Graph: shop: the web shop relates_to Graph: redis: the cache caches in"}},
		{"what is shown as code, and what nobody knows", "## shop\n\n```\nuses: redis\n```\n\nsee -> nowhere\n\n## redis\n\n- port: 6380\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := must(t, source.Markdown, folder(t, map[string]string{"project_graph.md": "# Graph\n\n" + tt.page}), source.Options{})
			titles := map[string]string{}
			for _, m := range all.memories {
				titles[m.SyncID] = m.Title
				if m.Type != engram.TypeEntity {
					t.Errorf("%q is of type %s", m.Title, m.Type)
				}
			}
			var got []string
			for _, r := range all.records {
				if x := r.Relation; x != nil {
					got = append(got, titles[x.Source.SyncID]+" "+string(x.Relation.Verb)+" "+titles[x.Target.SyncID]+" "+x.Relation.Reason)
				}
			}
			same(t, "relations", got, tt.want)
		})
	}
}

// Any page of entities is read to its end and relates nothing to itself.
func FuzzProjectGraph(f *testing.F) {
	for _, page := range []string{"## a\n\n- uses: b\n\n## b\n\na -> x -> b", "- a\n- b\n- a --x--> b (c)", "->", "a -> -> (", "[[a]] -> [[b]]\n: , :\n```\n", "## [[\n\n- (: )->(\n"} {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		all, err := open(t, source.Markdown, folder(t, map[string]string{"project_graph.md": page}), source.Options{})
		if err != nil {
			return
		}
		for _, r := range all.records {
			if x := r.Relation; x != nil && (x.Source == x.Target || x.Source.SyncID == "" || x.Target.SyncID == "" || x.Relation.Reason == "") {
				t.Errorf("%q relates %+v to %+v: %q", page, x.Source, x.Target, x.Relation.Reason)
			}
		}
	})
}
