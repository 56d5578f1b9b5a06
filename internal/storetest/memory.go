package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

func memoryCases() []testCase {
	return []testCase{
		{"a memory is read back as it was written", func(k *kit) {
			m := k.save(func(m *engram.Memory) { fill(m) })
			k.sameMemory("read by number", k.read(engram.ByNum(m.Num)), m)
		}},
		{"unset fields stay empty", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Project, m.SessionID = "", "" })
			k.sameMemory("read by number", k.read(engram.ByNum(m.Num)), m)
		}},
		{"replacing writes every field", func(k *kit) {
			m := k.save()
			k.save(in("other"))
			now := k.replace(m, func(m *engram.Memory) {
				fill(m)
				m.Project, m.SessionID = "other", "s-other"
			})
			k.sameMemory("filled", k.read(engram.ByNum(m.Num)), now)
			k.replace(m, func(*engram.Memory) {})
			k.sameMemory("emptied again", k.read(engram.ByNum(m.Num)), m)
		}},
		{"times are kept to the millisecond and come back as UTC", func(k *kit) {
			east := time.FixedZone("east", 5*3600+1800)
			m := k.save(func(m *engram.Memory) {
				m.CreatedAt = time.Date(2026, 3, 29, 2, 30, 0, 123_000_000, east)
				m.ReviewAfter = time.Date(2038, 1, 19, 3, 14, 8, 999_000_000, time.UTC)
				m.ValidFrom = time.Date(1969, 12, 31, 23, 59, 59, 1_000_000, time.UTC)
				m.ValidTo = time.Unix(0, 0).UTC()
			})
			m.CreatedAt = m.CreatedAt.UTC()
			k.sameMemory("read back", k.read(engram.ByNum(m.Num)), m)
		}},
		{"a memory is found by number, id, prefix of an id, and sync id", func(k *kit) {
			k.save(func(m *engram.Memory) { m.ID = "mem_01k0000000000000000000aaaa" })
			m := k.save(func(m *engram.Memory) { m.ID = "mem_01k0000000000000000000aabb" })
			for _, ref := range []engram.Ref{
				engram.ByNum(m.Num), engram.ByID(m.ID), {ID: string(m.ID[:len(m.ID)-1])}, {SyncID: m.SyncID},
			} {
				k.sameMemory("read "+ref.String(), k.read(ref), m)
			}
		}},
		{"a prefix of several ids is a conflict that names two of them", func(k *kit) {
			a, b := k.save(), k.save()
			k.view(func(r engram.Reader) error {
				_, err := r.Memory(k.Context(), engram.Ref{ID: "mem_000"})
				k.same("code", engram.CodeOf(err), engram.CodeConflict)
				if hint := engram.HintOf(err); !strings.Contains(hint, string(a.ID)) || !strings.Contains(hint, string(b.ID)) {
					k.Errorf("hint %q does not name %s and %s", hint, a.ID, b.ID)
				}
				return nil
			})
		}},
		{"unknown references are not found", func(k *kit) {
			k.save()
			for _, ref := range []engram.Ref{
				{Num: 99}, {ID: "mem_zzzzzzzzzzzzzzzzzzzzzzzzzz"}, {ID: "mem_zz"}, {SyncID: "obs-ffff"},
				{Topic: "no/topic"}, {Topic: "no/topic", Project: "app"}, {Topic: "no/topic", Project: "nowhere"},
			} {
				failing(k, engram.CodeNotFound, engram.Reader.Memory, ref)
			}
		}},
		{"Memories returns memories in the requested order, without unknown ones", func(k *kit) {
			a, b, c := k.save(), k.save(), k.save()
			k.forget(b, 50)
			ms := read1(k, engram.Reader.Memories, []int64{c.Num, 77, a.Num, b.Num})
			k.same("numbers", nums(ms), []int64{c.Num, a.Num, b.Num})
			k.same("none asked", len(read1(k, engram.Reader.Memories, nil)), 0)
		}},
		{"numbers start at 1, rise, and are never used twice", func(k *kit) {
			a, b := k.save(), k.save()
			k.same("the first two", []int64{a.Num, b.Num}, []int64{1, 2})
			k.erase(b)
			k.same("after the last was erased", k.save().Num, 3)
		}},
		{"a given number is kept, and the next one follows it", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.Num = 12 })
			k.same("its number", m.Num, 12)
			k.sameMemory("read by number", k.read(engram.ByNum(12)), m)
			k.same("the next one", k.save().Num, 13)
			again := k.draft(func(m *engram.Memory) { m.Num = 12 })
			k.refused("insert", engram.CodeConflict, func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &again) })
		}},
		{"an id of an earlier program takes precedence over a prefix", func(k *kit) {
			m := k.save(func(m *engram.Memory) { m.SyncID = engram.SyncIDOf("mem_0000") })
			k.save()
			k.sameMemory("read by the old id", k.read(engram.Ref{ID: "mem_0000"}), m)
		}},
		{"an id or sync id that is taken is a conflict", func(k *kit) {
			a := k.save()
			for _, m := range []engram.Memory{
				k.draft(func(m *engram.Memory) { m.ID = a.ID }), k.draft(func(m *engram.Memory) { m.SyncID = a.SyncID }),
			} {
				k.refused("insert", engram.CodeConflict, func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &m) })
			}
			k.same("memories", len(k.list(engram.Filter{})), 1)
		}},
		{"replacing a memory that does not exist is not found", func(k *kit) {
			m := k.save()
			m.Num = 99
			k.refused("replace", engram.CodeNotFound, func(tx engram.Tx) error { return tx.ReplaceMemory(k.Context(), m) })
		}},
		{"a memory of an unknown project or session is not found", func(k *kit) {
			k.save()
			for _, change := range []func(*engram.Memory){within("never"), func(m *engram.Memory) { m.Project = "nowhere" }} {
				m := k.draft(change)
				k.refused("insert", engram.CodeNotFound, func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &m) })
			}
		}},
		{"the newest memory with a hash that passes is found", func(k *kit) {
			hash := strings.Repeat("ab", 32)
			hashed := func(m *engram.Memory) { m.NormalizedHash = hash }
			k.save(titled("old"), hashed)
			newest := k.save(titled("new"), hashed)
			k.forget(k.save(titled("forgotten"), hashed), 50)
			k.save(titled("elsewhere"), hashed, in("other"))
			// Its first eight bytes are those of hash: a partial match must not count.
			k.save(func(m *engram.Memory) { m.NormalizedHash = strings.Repeat("ab", 8) + strings.Repeat("cd", 24) })
			any := func(engram.Memory) bool { return true }
			for _, tt := range []struct {
				name, project, hash string
				since               time.Time
				pass                func(engram.Memory) bool
				want                string
			}{
				{"any", "app", hash, time.Time{}, any, "new"},
				{"the older one", "app", hash, time.Time{}, func(m engram.Memory) bool { return m.Title == "old" }, "old"},
				{"none passes", "app", hash, time.Time{}, func(engram.Memory) bool { return false }, ""},
				{"another project", "other", hash, time.Time{}, any, "elsewhere"},
				{"a project that does not exist", "nowhere", hash, time.Time{}, any, ""},
				{"another hash", "app", strings.Repeat("0f", 32), time.Time{}, any, ""},
				{"made at since", "app", hash, newest.CreatedAt, any, "new"},
				{"made before since", "app", hash, newest.CreatedAt.Add(time.Millisecond), any, ""},
			} {
				m, found := look(k, func(r engram.Reader) (engram.Memory, bool, error) {
					return engram.ByHash(k.Context(), r, tt.project, tt.hash, tt.since, tt.pass)
				})
				k.same(tt.name+": title", m.Title, tt.want)
				k.same(tt.name+": found", found, tt.want != "")
			}
		}},
		{"the newest memory with a title is found", byTitle},
	}
}

// byTitle looks up titles, some of which differ in the middle or in case only.
func byTitle(k *kit) {
	const title = "Retries of the upload queue, and how long they wait"
	for _, m := range []engram.Memory{
		{Title: title, Content: "old"}, {Title: title, Content: "new"}, {Title: title, Content: "forgotten", DeletedAt: at(50)},
		{Title: title, Content: "elsewhere", Project: "other"}, {Title: title, Content: "of a person", Scope: engram.ScopePersonal},
		{Title: title, Content: "of a bug", Type: engram.TypeBugfix},
		{Title: "Retries of the download queue, and how long they wait", Content: "other middle"},
		{Title: "Ports", Content: "short"}, {Title: "Größe", Content: "not ASCII"},
	} {
		k.save(in(cmp.Or(m.Project, "app")), func(d *engram.Memory) {
			d.Title, d.Content, d.DeletedAt = m.Title, m.Content, m.DeletedAt
			d.Type, d.Scope = cmp.Or(m.Type, engram.TypeDecision), cmp.Or(m.Scope, engram.ScopeProject)
		})
	}
	for _, tt := range []struct {
		name, project string
		scope         engram.Scope
		typ           engram.Type
		title, want   string
	}{
		{"the newest", "app", engram.ScopeProject, engram.TypeDecision, title, "new"},
		{"another project", "other", engram.ScopeProject, engram.TypeDecision, title, "elsewhere"},
		{"a project that does not exist", "nowhere", engram.ScopeProject, engram.TypeDecision, title, ""},
		{"another scope", "app", engram.ScopePersonal, engram.TypeDecision, title, "of a person"},
		{"another type", "app", engram.ScopeProject, engram.TypeBugfix, title, "of a bug"},
		{"a type that has no such title", "app", engram.ScopeProject, engram.TypePattern, title, ""},
		{"both ends are the same and the middle is not", "app", engram.ScopeProject, engram.TypeDecision,
			"Retries of the download queue, and how long they wait", "other middle"},
		{"another case", "app", engram.ScopeProject, engram.TypeDecision, "PORTS", ""},
		{"a short title", "app", engram.ScopeProject, engram.TypeDecision, "Ports", "short"},
		{"a title that is not ASCII", "app", engram.ScopeProject, engram.TypeDecision, "Größe", "not ASCII"},
	} {
		f := engram.Filter{Project: tt.project, Projectless: tt.project == "", Scope: tt.scope, Types: []engram.Type{tt.typ}, Title: tt.title}
		ms := read2(k, engram.Reader.List, f, engram.Page{Order: engram.OrderLatest, Limit: 1})
		k.same(tt.name, append(ms, engram.Memory{})[0].Content, tt.want)
	}
}

// fill sets every field that k.draft leaves empty.
func fill(m *engram.Memory) {
	m.Title, m.Content, m.Summary = "Pool size: 20", "one\r\n\ttwo  \n", "one two"
	m.Scope, m.Type, m.Origin = engram.ScopePersonal, engram.TypeDecision, engram.OriginImport
	m.Tags = []string{"Zeta", "db", "with space", `quote"d`, "ünïcode"}
	m.Metadata = map[string]any{"n": 1.5, "s": "text", "b": true, "null": nil, "list": []any{"x", 2.0}, "deep": map[string]any{"a": "<&>"}}
	m.TopicKey, m.ToolName = "decision/pool-size", "bash"
	m.Anchors = []engram.Anchor{anchorAt("a/b.go", 3, 9), anchorAt("c.go", 0, 0)}
	m.Importance, m.Strength, m.Permanent, m.AccessCount = 0.875, 0.3125, true, 7
	m.TouchedAt, m.LastAccessedAt, m.UpdatedAt = at(11), at(12), at(13)
	m.ReviewAfter, m.ValidFrom, m.ValidTo, m.LastSeenAt = at(14), at(15), at(16), at(17)
	m.RevisionCount, m.DuplicateCount = 4, 5
	m.NormalizedHash = strings.Repeat("0123456789abcdef", 4)
}

func roundTripCases() []testCase {
	return []testCase{
		{"any valid memory is read back unchanged, inserted or replaced", func(k *kit) {
			const rounds = 150
			k.save() // creates the project and session of the drawn memories
			first := k.save()
			for seed := range uint64(rounds) {
				d := drawer{rand.New(rand.NewPCG(seed, 7))}
				m := k.draft(d.memory)
				if err := m.Validate(); err != nil {
					k.Fatalf("seed %d drew a memory that is not valid: %v", seed, err)
				}
				each(k, engram.Tx.InsertMemory, &m)
				k.sameMemory(fmt.Sprintf("seed %d, inserted", seed), k.read(engram.ByNum(m.Num)), m)
				over := m
				over.Num, over.ID, over.SyncID, over.TopicKey = first.Num, first.ID, first.SyncID, ""
				k.replace(over, func(*engram.Memory) {})
				k.sameMemory(fmt.Sprintf("seed %d, replaced", seed), k.read(engram.ByNum(first.Num)), over)
			}
		}},
		{"every plane of Unicode is kept", func(k *kit) {
			for plane := range rune(17) {
				var b strings.Builder
				for r := plane << 16; r < (plane+1)<<16; r += 61 {
					if r != 0 && (r < 0xd800 || r > 0xdfff) {
						b.WriteRune(r)
					}
				}
				m := k.write(fmt.Sprintf("plane %d", plane), b.String())
				if got := k.read(engram.ByNum(m.Num)); got.Content != m.Content {
					k.Errorf("plane %d: got %d bytes, want %d", plane, len(got.Content), len(m.Content))
				}
			}
		}},
		{"a content of the maximum size is kept to the byte and found", func(k *kit) {
			for _, unit := range []string{"a kettle of fish ", "水", "\x01\x7f", "𝛀"} {
				content := strings.Repeat(unit, engram.MaxContent/len(unit))
				content += strings.Repeat("!", engram.MaxContent-len(content))
				m := k.write("great "+fmt.Sprint(len(unit)), content)
				if got := k.read(engram.ByNum(m.Num)); got.Content != content {
					k.Errorf("%q: got %d bytes, want %d", unit, len(got.Content), len(content))
				}
			}
			k.same("found", numsOf(k.find("kettle")), []int64{1})
		}},
	}
}

// drawer draws random field values.
type drawer struct{ *rand.Rand }

// text draws up to most bytes of valid text without NUL, from all planes, with frequent awkward
// characters.
func (d drawer) text(most int) string {
	awkward := []rune("\"'\\\n\r\t\x01\x1b\x7f%_*?:;,.-<>&{}[]()$·\u00a0\u0301\u200d\u202e\u2028\ufeff\ufffd\uffff\U0010ffffaßİ")
	var b strings.Builder
	for n := d.IntN(most + 1); ; {
		r := awkward[d.IntN(len(awkward))]
		switch d.IntN(4) {
		case 0:
			r = rune('a' + d.IntN(26))
		case 1:
			if r = rune(1 + d.IntN(0x10ffff)); r >= 0xd800 && r <= 0xdfff {
				r = '\U0001f980'
			}
		case 2:
			r = ' '
		}
		if b.Len()+len(string(r)) > n {
			return b.String()
		}
		b.WriteRune(r)
	}
}

// words draws a non-empty text.
func (d drawer) words(most int) string { return "w" + d.text(most-1) }

func (d drawer) time() time.Time {
	if d.IntN(3) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.Int64N(4e12) - 1e11).UTC()
}

// json draws a value as encoding/json decodes it.
func (d drawer) json(depth int) any {
	switch n := d.IntN(7); {
	case n == 0:
		return nil
	case n == 1:
		return d.IntN(2) == 0
	case n == 2:
		return float64(d.IntN(2000) - 1000)
	case n == 3:
		return d.NormFloat64() * 1e10
	case n == 4 && depth > 0:
		list := make([]any, d.IntN(4))
		for i := range list {
			list[i] = d.json(depth - 1)
		}
		return list
	case n == 5 && depth > 0:
		return d.object(depth - 1)
	}
	return d.text(40)
}

func (d drawer) object(depth int) map[string]any {
	o := map[string]any{}
	for range d.IntN(4) {
		o[d.text(20)] = d.json(depth)
	}
	return o
}

// memory sets the fields of a draft.
func (d drawer) memory(m *engram.Memory) {
	m.Title, m.Content, m.Summary = d.words(300), d.words(3000), d.text(200)
	m.Type, m.ToolName = engram.Type(d.words(30)), d.text(30)
	m.Scope = []engram.Scope{engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal}[d.IntN(3)]
	m.Origin = []engram.Origin{engram.OriginHuman, engram.OriginAgent, engram.OriginTool, engram.OriginImport, engram.OriginSync}[d.IntN(5)]
	seen := map[string]bool{}
	for range d.IntN(6) {
		if tag := d.words(engram.MaxTag); !seen[tag] {
			seen[tag] = true
			m.Tags = append(m.Tags, tag)
		}
	}
	if o := d.object(3); len(o) > 0 {
		m.Metadata = o
	}
	for range max(d.IntN(8)-4, 0) {
		first := d.IntN(3)
		a := anchorAt(fmt.Sprintf("dir/%d.go", d.IntN(5)), first, first)
		a.Named = d.IntN(2) == 0
		m.Anchors = engram.CleanAnchors(append(m.Anchors, a))
	}
	if d.IntN(2) == 0 {
		m.TopicKey = fmt.Sprintf("%d/%s", m.CreatedAt.UnixMilli(), d.text(80))
	}
	m.Importance, m.Strength, m.Permanent, m.AccessCount = d.Float64(), d.Float64(), d.IntN(2) == 0, d.IntN(1000)
	m.LastAccessedAt, m.ReviewAfter, m.ValidFrom, m.ValidTo, m.LastSeenAt = d.time(), d.time(), d.time(), d.time(), d.time()
	m.RevisionCount, m.DuplicateCount = 1+d.IntN(50), 1+d.IntN(50)
	if d.IntN(4) == 0 {
		m.DeletedAt = at(d.IntN(10_000))
	}
}

func topicCases() []testCase {
	const key = "architecture/auth"
	auth := topic(key)
	return []testCase{
		{"topic keys are listed once, sorted, by prefix", func(k *kit) {
			for _, key := range []string{"auth/tokens", "auth", "база/схема", "zebra", ""} {
				k.save(topic(key))
			}
			k.save(topic("auth"), scoped(engram.ScopePersonal))
			k.save(topic("auth/keys"), in("other"))
			k.forget(k.save(topic("auth/gone")), 500)
			for _, tt := range []struct {
				project, prefix string
				most            int
				want            []string
			}{
				{"", "", 9, []string{"auth", "auth/keys", "auth/tokens", "zebra", "база/схема"}},
				{"app", "", 9, []string{"auth", "auth/tokens", "zebra", "база/схема"}},
				{"app", "auth", 9, []string{"auth", "auth/tokens"}},
				{"app", "auth/", 9, []string{"auth/tokens"}},
				{"app", "база", 9, []string{"база/схема"}},
				{"app", "", 2, []string{"auth", "auth/tokens"}},
				{"other", "z", 9, nil},
				{"nowhere", "", 9, nil},
			} {
				keys := read3(k, engram.Reader.Topics, tt.project, tt.prefix, tt.most)
				k.same("topics of "+tt.project+" from "+tt.prefix, keys, tt.want)
			}
		}},
		{"a topic names the live memory of its project and scope", func(k *kit) {
			shared, personal, other := k.save(auth), k.save(auth, scoped(engram.ScopePersonal)), k.save(auth, in("other"))
			k.save() // without a topic
			for _, tt := range []struct {
				project string
				scope   engram.Scope
				key     string
				want    int64
			}{
				{"app", engram.ScopeProject, key, shared.Num},
				{"app", engram.ScopePersonal, key, personal.Num},
				{"other", engram.ScopeProject, key, other.Num},
				{"other", engram.ScopeGlobal, key, 0},
				{"app", engram.ScopeProject, "architecture/aut", 0},
				{"nowhere", engram.ScopeProject, key, 0},
				{"", engram.ScopeProject, key, 0},
				{"app", engram.ScopeProject, "", 0},
			} {
				m, found := look(k, func(r engram.Reader) (engram.Memory, bool, error) {
					return engram.ByTopic(k.Context(), r, tt.project, tt.scope, tt.key)
				})
				k.same("number of "+tt.key+" in "+tt.project, m.Num, tt.want)
				k.same("found", found, tt.want != 0)
			}
		}},
		{"a topic in one project is a valid reference, in several a conflict", func(k *kit) {
			k.save(auth)
			b := k.save(auth, in("other"))
			k.sameMemory("narrowed", k.read(engram.Ref{Topic: key, Project: "other"}), b)
			failing(k, engram.CodeConflict, engram.Reader.Memory, engram.Ref{Topic: key})
			k.forget(b, 50)
			k.same("once only one is live", k.read(engram.Ref{Topic: key}).Project, "app")
		}},
		{"two live memories of one project and scope cannot share a topic", func(k *kit) {
			a := k.save(auth)
			b := k.draft(auth)
			k.refused("insert", engram.CodeConflict, func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &b) })
			c := k.save()
			c.TopicKey = key
			k.refused("replace", engram.CodeConflict, func(tx engram.Tx) error { return tx.ReplaceMemory(k.Context(), c) })
			k.sameMemory("the first", k.read(engram.Ref{Topic: key}), a)
		}},
		{"forgetting frees the topic, and restoring fails while another memory has it", func(k *kit) {
			a := k.forget(k.save(auth), 50)
			b := k.save(auth)
			k.sameMemory("the new one", k.read(engram.Ref{Topic: key, Project: "app"}), b)
			k.refused("restore", engram.CodeConflict, func(tx engram.Tx) error {
				a.DeletedAt = b.DeletedAt
				return tx.ReplaceMemory(k.Context(), a)
			})
			if !k.read(engram.ByNum(a.Num)).Forgotten() {
				k.Errorf("#%d is live after a refused restore", a.Num)
			}
		}},
	}
}
