package storetest

import "github.com/alanbuscaglia/engram"

func topicCases() []testCase {
	const key = "architecture/auth"
	topic := func(m *engram.Memory) { m.TopicKey = key }
	in := func(project string, scope engram.Scope) func(*engram.Memory) {
		return func(m *engram.Memory) { m.Project, m.SessionID, m.Scope = project, "s-"+project, scope }
	}
	return []testCase{
		{"topic keys are told once, in their order, by how they begin", func(k *kit) {
			put := func(key, project string, scope engram.Scope) engram.Memory {
				return k.save(in(project, scope), func(m *engram.Memory) { m.TopicKey = key })
			}
			put("auth/tokens", "app", engram.ScopeProject)
			put("auth", "app", engram.ScopeProject)
			put("auth", "app", engram.ScopePersonal)
			put("auth/keys", "other", engram.ScopeProject)
			put("база/схема", "app", engram.ScopeProject)
			put("zebra", "app", engram.ScopeProject)
			k.forget(put("auth/gone", "app", engram.ScopeProject), 500)
			k.save()
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
				k.view(func(r engram.Reader) error {
					keys, err := r.Topics(k.Context(), tt.project, tt.prefix, tt.most)
					k.same("topics of "+tt.project+" from "+tt.prefix, keys, tt.want)
					return err
				})
			}
		}},
		{"a topic names the live memory of its project and scope", func(k *kit) {
			shared := k.save(topic)
			personal := k.save(topic, in("app", engram.ScopePersonal))
			other := k.save(topic, in("other", engram.ScopeProject))
			k.view(func(r engram.Reader) error {
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
				} {
					m, found, err := r.ByTopic(k.Context(), tt.project, tt.scope, tt.key)
					if err != nil {
						k.Errorf("ByTopic(%q, %q, %q): %v, want found to be false", tt.project, tt.scope, tt.key, err)
					}
					k.same("number of "+tt.key+" in "+tt.project, m.Num, tt.want)
					k.same("found", found, tt.want != 0)
				}
				return nil
			})
		}},
		{"a topic in one project is a reference, in several a conflict", func(k *kit) {
			k.save(topic)
			b := k.save(topic, in("other", engram.ScopeProject))
			k.sameMemory("narrowed", k.read(engram.Ref{Topic: key, Project: "other"}), b)
			k.view(func(r engram.Reader) error {
				_, err := r.Memory(k.Context(), engram.Ref{Topic: key})
				k.same("code in every project", engram.CodeOf(err), engram.CodeConflict)
				return nil
			})
			k.forget(b, 50)
			k.same("once only one is live", k.read(engram.Ref{Topic: key}).Project, "app")
		}},
		{"two live memories of one project and scope cannot share a topic", func(k *kit) {
			a := k.save(topic)
			b := k.draft(topic)
			k.refused("insert", engram.CodeConflict, func(tx engram.Tx) error { return tx.InsertMemory(k.Context(), &b) })
			c := k.save()
			c.TopicKey = key
			k.refused("replace", engram.CodeConflict, func(tx engram.Tx) error { return tx.ReplaceMemory(k.Context(), c) })
			k.sameMemory("the first", k.read(engram.Ref{Topic: key}), a)
		}},
		{"forgetting frees the topic, and it cannot be taken back while another has it", func(k *kit) {
			a := k.forget(k.save(topic), 50)
			b := k.save(topic)
			k.sameMemory("the new one", k.read(engram.Ref{Topic: key, Project: "app"}), b)
			k.refused("restore", engram.CodeConflict, func(tx engram.Tx) error {
				a.DeletedAt = b.DeletedAt
				return tx.ReplaceMemory(k.Context(), a)
			})
			if !k.read(engram.ByNum(a.Num)).Forgotten() {
				k.Errorf("#%d is live after a refused restore", a.Num)
			}
		}},
		{"memories without a topic do not clash", func(k *kit) {
			k.save()
			k.save()
			k.view(func(r engram.Reader) error {
				_, found, err := r.ByTopic(k.Context(), "app", engram.ScopeProject, "")
				k.same("found by the empty key", found, false)
				return err
			})
		}},
	}
}
