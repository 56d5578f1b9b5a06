package storetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
)

func eraseCases() []testCase {
	const secret = "xyzzysecret"
	return []testCase{
		{"nothing of an erased memory can be read", func(k *kit) {
			m := k.save(func(m *engram.Memory) {
				m.Title, m.Content, m.Summary, m.Tags = secret, "the "+secret, secret, []string{secret}
				m.Metadata, m.TopicKey = map[string]any{secret: secret}, "a/"+secret
			})
			other := k.save()
			k.update(func(tx engram.Tx) error {
				for i, ends := range [][2]int64{{m.Num, other.Num}, {other.Num, m.Num}} {
					if err := tx.InsertRelation(k.Context(), &engram.Relation{ID: fmt.Sprintf("rel-%d", i), Source: ends[0], Target: ends[1],
						Verb: engram.VerbRelatesTo, Status: engram.RelationJudged, Reason: secret, CreatedAt: at(1), UpdatedAt: at(1)}); err != nil {
						return err
					}
				}
				return tx.InsertRevision(k.Context(), engram.Revision{Memory: m.Num, Number: 1, Title: secret, Content: secret, WrittenAt: at(1), ReplacedAt: at(2)})
			})
			k.journal(engram.Mutation{Actor: "cli", Verb: "save", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num)},
				engram.Mutation{Actor: "cli", Verb: "update", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num), Reason: secret, Was: json.RawMessage(`{"topic_key":"` + secret + `"}`)},
				engram.Mutation{Actor: "cli", Verb: "update", Entity: engram.EntityMemory, Key: fmt.Sprint(other.Num), Reason: "kept", Was: json.RawMessage(`{"kept":1}`)})
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })

			k.view(func(r engram.Reader) error {
				for _, ref := range []engram.Ref{engram.ByNum(m.Num), engram.ByID(m.ID), {SyncID: m.SyncID}, {Topic: m.TopicKey}} {
					_, err := r.Memory(k.Context(), ref)
					k.same("code of reading "+ref.String(), engram.CodeOf(err), engram.CodeNotFound)
				}
				revisions, err := r.Revisions(k.Context(), m.Num)
				k.same("revisions", len(revisions), 0)
				if err != nil {
					return err
				}
				relations, err := r.Relations(k.Context(), []int64{m.Num, other.Num})
				k.same("relations", len(relations), 0)
				return err
			})
			k.same("listed", nums(k.list(engram.Filter{})), []int64{other.Num})
			k.same("found", len(k.find(secret)), 0)
			k.same("found by the beginning", len(k.find(secret[:5])), 0)
			k.same("found by the tag", len(k.find("title", func(q *engram.LexicalQuery) { q.Filter.Tags = []string{secret} })), 0)
			if all := fmt.Sprintf("%+v", k.entries("", "")); strings.Contains(all, secret) {
				k.Errorf("the journal still holds it: %s", all)
			}
			k.same("entries stay", len(k.entries(engram.EntityMemory, fmt.Sprint(m.Num))), 2)
			k.same("entries of others keep what was", string(k.entries(engram.EntityMemory, fmt.Sprint(other.Num))[0].Was), `{"kept":1}`)
		}},
		{"others are found as before, and new ones too", func(k *kit) {
			var all []engram.Memory
			words := strings.Fields("ash beech birch cedar elm fir hazel juniper larch lime maple oak pear pine plane plum poplar rowan spruce walnut willow yew")
			for _, word := range words {
				all = append(all, k.write("kettle", word))
			}
			for _, i := range []int{3, 17, 21} {
				k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), all[i].Num) })
			}
			k.same("found", len(k.find("kettle")), len(words)-3)
			k.same("one of them", numsOf(k.find(words[12])), []int64{all[12].Num})
			k.same("an erased one", len(k.find(words[17])), 0)
			m := k.write("kettle again", words[17])
			k.same("a new one with the same word", numsOf(k.find(words[17])), []int64{m.Num})
		}},
		{"a forgotten memory can be erased", func(k *kit) {
			m := k.forget(k.save(), 50)
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
			k.same("forgotten", len(k.list(engram.Filter{Forgotten: true})), 0)
		}},
		{"erasing what does not exist is not found", func(k *kit) {
			m := k.save()
			k.refused("another number", engram.CodeNotFound, func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), 99) })
			k.update(func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
			k.refused("twice", engram.CodeNotFound, func(tx engram.Tx) error { return tx.EraseMemory(k.Context(), m.Num) })
		}},
		{"an erase that is undone leaves everything", func(k *kit) {
			m := k.write("kettle", "boils")
			k.refused("erase", engram.CodeInvalid, func(tx engram.Tx) error {
				if err := tx.EraseMemory(k.Context(), m.Num); err != nil {
					return err
				}
				return engram.Errorf(engram.CodeInvalid, "no")
			})
			k.sameMemory("after all", k.read(engram.ByNum(m.Num)), m)
			k.same("found", numsOf(k.find("kettle")), []int64{m.Num})
		}},
	}
}
