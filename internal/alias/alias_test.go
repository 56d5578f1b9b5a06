package alias_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/alias"
	"github.com/alanbuscaglia/engram/internal/text"
)

// also returns the aliases of a question's only word, without its stems in other languages.
func also(table alias.Table, word string) []string {
	return slices.DeleteFunc(table.Add(text.Query(word))[0].Also, func(w string) bool { return strings.HasPrefix(w, text.ForeignMark) })
}

func TestDevelopersNamesForOneThingAreOneWord(t *testing.T) {
	for _, tt := range []struct {
		word string
		want []string
	}{
		{"k8s", []string{"kubernet"}},
		{"K8s", []string{"kubernet"}},
		{"Kubernetes", []string{"k8s"}},
		{"pg", []string{"postgr", "postgresql"}},
		{"postgresql", []string{"pg", "postgr"}},
		{"auth", []string{"authent"}},
		{"authenticating", []string{"auth"}},
		{"deps", []string{"depend"}},
		{"repos", []string{"repositori"}},
		{"repositories", []string{"repo"}},
		{"ts", []string{"typescript"}},
		{"envs", []string{"environ"}},
		{"authorization", nil}, // the index has author
		{"production", nil},    // the index has product
		{"kettle", nil},
	} {
		if got := also(alias.Table{}, tt.word); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestANameInPartsHasTheAliasesOfTheWhole(t *testing.T) {
	for word, want := range map[string]string{"PostgreSQL": "pg", "TypeScript": "ts", "GitHub": "gh"} {
		terms := alias.Table{}.Add(text.Query(word))
		if whole := terms[len(terms)-1]; !whole.Joined || !slices.Contains(whole.Also, want) {
			t.Errorf("%s: the last term is %+v, want it joined, with %s", word, whole, want)
		}
	}
}

func TestTimesAndStopWordsHaveNoAliases(t *testing.T) {
	terms := alias.Table{}.Add([]engram.Term{{Word: "max", Time: true}, {Word: "db", Stop: true}, {Word: "db"}})
	if terms[0].Also != nil || terms[1].Also != nil || terms[2].Also == nil {
		t.Errorf("got %+v, want aliases of the last alone", terms)
	}
}

// Each word of the table finds the others of its group and is found by them, and none is in two groups.
func TestTheTableIsSymmetric(t *testing.T) {
	seen := map[string]string{}
	for _, g := range alias.BuiltIn() {
		if len(g) < 2 {
			t.Errorf("%q is no group", g)
		}
		for _, word := range g {
			terms := text.Query(word)
			if len(terms) != 1 || terms[0].Stop || word != strings.ToLower(word) {
				t.Errorf("%s is not one word of the index: %+v", word, terms)
				continue
			}
			if first, is := seen[terms[0].Word]; is {
				t.Errorf("%s and %s are the same word of the index", word, first)
			}
			seen[terms[0].Word] = word
			if got := also(alias.Table{}, word); len(got) != len(g)-1 {
				t.Errorf("%s of %q has the aliases %q", word, g, got)
			}
			for _, other := range g {
				if other != word && !slices.Contains(also(alias.Table{}, other), terms[0].Word) {
					t.Errorf("%s has %s, but not the other way", word, other)
				}
			}
		}
	}
}

func TestOnesOwnGroupsAreReadAndAdded(t *testing.T) {
	groups, err := alias.Parse(" FE = frontend=ui ,, db=ledger,")
	if want := [][]string{{"fe", "frontend", "ui"}, {"db", "ledger"}}; err != nil || !reflect.DeepEqual(groups, want) {
		t.Fatalf("got %q, %v; want %q", groups, err, want)
	}
	table := alias.New(groups)
	for word, want := range map[string][]string{
		"frontends": {"fe", "ui"},
		"db":        {"databas", "ledger"},
		"ledger":    {"db"}, // what one says of db is not said of database
		"database":  {"db"},
	} {
		if got := also(table, word); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if none, err := alias.Parse(" "); none != nil || err != nil {
		t.Errorf("nothing: got %q, %v", none, err)
	}
}

func TestWrongGroupsAreNamed(t *testing.T) {
	var groups, words []string
	for i := range alias.MaxGroups + 1 {
		groups = append(groups, fmt.Sprintf("a%dx=b%dx", i, i))
	}
	for i := range alias.MaxWords + 1 {
		words = append(words, "w"+strings.Repeat("x", i))
	}
	for _, tt := range []struct{ name, list, says string }{
		{"one word", "frontend", "has 1 word; a group has 2"},
		{"an empty word", "fe=", `"" in "fe=" is not one word`},
		{"two words", "ci=continuous integration", `"continuous integration" in`},
		{"two words in one", "gha=github-actions", `"github-actions" in`},
		{"a stop word", "fe=the", `"the" in "fe=the"`},
		{"punctuation", "fe=!", `"!" in`},
		{"another form of the word", "db=dbs", `"dbs" is the same word as "db"`},
		{"a word in two groups", "fe=frontend, ui=Frontends", `"frontends" is the same word as "frontend"`},
		{"too many words", strings.Join(words, "="), "a group has 2 to 8"},
		{"too many groups", strings.Join(groups, ","), "more than 200 groups"},
	} {
		if got, err := alias.Parse(tt.list); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %q, %v; want an error with %q", tt.name, got, err, tt.says)
		}
	}
}

// Whatever is read is written back as it was, and its words find each other.
func TestGroupsAreSymmetricWhateverTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z0-9+#é]{1,6}(=[a-zA-Z0-9 ]{1,6}){1,3},? ?){0,4}`)).Draw(t, "list")
		groups, err := alias.Parse(list)
		if err != nil {
			return
		}
		again, err := alias.Parse(alias.Format(groups))
		if err != nil || !reflect.DeepEqual(again, groups) {
			t.Fatalf("%q is %q, written and read again %q, %v", list, groups, again, err)
		}
		table := alias.New(groups)
		for _, g := range groups {
			for _, a := range g {
				for _, b := range g {
					if word := text.Query(b)[0].Word; a != b && !slices.Contains(also(table, a), word) {
						t.Fatalf("%q: %s does not find %s", groups, a, b)
					}
				}
			}
		}
	})
}
