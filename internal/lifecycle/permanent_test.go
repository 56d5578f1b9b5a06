package lifecycle_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestTheTagAndTheFlagOfAPermanentMemoryAgree(t *testing.T) {
	yes, no := true, false
	tag := lifecycle.TagPermanent
	memory := func(permanent bool, tags ...string) engram.Memory {
		return engram.Memory{Permanent: permanent, Tags: tags}
	}
	full := make([]string, engram.MaxTags)
	for i := range full {
		full[i] = fmt.Sprintf("tag%02d", i)
	}
	for name, c := range map[string]struct {
		was, now engram.Memory
		asked    *bool
		want     engram.Memory
	}{
		"a new memory with the tag":                 {now: memory(false, "a", tag), want: memory(true, "a", tag)},
		"a new memory with the flag":                {now: memory(true, "z"), want: memory(true, tag, "z")},
		"a new memory with neither":                 {now: memory(false, "a"), want: memory(false, "a")},
		"the tag is added":                          {was: memory(false, "a"), now: memory(false, "a", tag), want: memory(true, "a", tag)},
		"the tag is removed":                        {was: memory(true, "a", tag), now: memory(true, "a"), want: memory(false, "a")},
		"the last tag is removed with the flag":     {was: memory(true, tag), now: memory(true, tag), asked: &no, want: memory(false)},
		"the flag is set":                           {was: memory(false), now: memory(true), want: memory(true, tag)},
		"the flag is unset and another tag added":   {was: memory(true, tag), now: memory(false, "a", tag), want: memory(false, "a")},
		"who asks in words decides against the tag": {was: memory(false), now: memory(false, tag), asked: &no, want: memory(false)},
		"who asks in words gets the tag":            {was: memory(false), now: memory(false), asked: &yes, want: memory(true, tag)},
		"an old memory with the tag alone":          {was: memory(false, tag), now: memory(false, "a", tag), want: memory(true, "a", tag)},
		"an old memory with the flag alone":         {was: memory(true), now: memory(true, "a"), want: memory(true, "a", tag)},
		"an old memory with the tag is let go":      {was: memory(false, tag), now: memory(false, tag), asked: &no, want: memory(false)},
		"there is no room for the tag":              {now: engram.Memory{Permanent: true, Tags: full}, want: engram.Memory{Permanent: true, Tags: full}},
	} {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(c.now.Tags)
			got := lifecycle.Pinned(c.was, c.now, c.asked)
			if got.Permanent != c.want.Permanent || !slices.Equal(got.Tags, c.want.Tags) || (got.Tags == nil) != (c.want.Tags == nil) {
				t.Errorf("was %v %q, now %v %q: got %v %q, want %v %q", c.was.Permanent, c.was.Tags, c.now.Permanent, c.now.Tags,
					got.Permanent, got.Tags, c.want.Permanent, c.want.Tags)
			}
			if !slices.Equal(before, c.now.Tags) {
				t.Errorf("the tags that were handed in became %q", c.now.Tags)
			}
			if again := lifecycle.Pinned(got, got, nil); again.Permanent != got.Permanent || len(again.Tags) != len(got.Tags) {
				t.Errorf("a second time it is %v %q", again.Permanent, again.Tags)
			}
		})
	}
}
