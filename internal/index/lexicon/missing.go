package lexicon

import (
	"context"
	"strings"
)

// Words of a question that no memory has are looked for in the whole dictionary: as the beginning of others, and with
// typing errors. Questions share these words, too ("remember", "reason"), and what a segment has in their place never
// changes, so it is kept: mostly nothing.

// mostMissing bounds its bytes, as mostLists does.
const mostMissing = 1 << 20

// missingOf identifies a search of a segment: for the beginning of words, or with up to so many typing errors for words
// with an initial.
type missingOf struct {
	listOf
	stem    string // of the word, as far as it is another
	initial string
	errors  int
}

// likely is an indexed word that may have been meant.
type likely struct {
	word         string
	errors, rows int // rows of all projects; 0 if the list is damaged
}

// starts identifies the search for words that begin with begins.
func (g *segment) starts(begins string) missingOf {
	return missingOf{listOf: listOf{g.num, g.version, begins}}
}

// missing returns what is known of a search, of which nil is that there is nothing.
func (x *Index) missing(g *segment, of missingOf) (found []likely, known bool) {
	if !x.lasting(g) {
		return nil, false
	}
	return x.Cache.missing.Get(of, x.most(mostMissing))
}

// keepMissing keeps the answer to a search.
func (x *Index) keepMissing(g *segment, of missingOf, found []likely) {
	if !x.lasting(g) {
		return
	}
	of.word, of.stem, of.initial = strings.Clone(of.word), strings.Clone(of.stem), strings.Clone(of.initial)
	bytes := 200 + len(of.word) + len(of.stem)
	for _, l := range found {
		bytes += 40 + len(l.word)
	}
	x.Cache.missing.Put(of, found, bytes, x.most(mostMissing))
}

// mistyped returns the words of a segment with an initial and at most most typing errors of a term with these forms.
func (x *Index) mistyped(ctx context.Context, g *segment, initial string, forms []form, most int) (found []likely, err error) {
	of := missingOf{listOf: listOf{g.num, g.version, forms[0].word}, initial: initial, errors: most}
	if len(forms) > 1 {
		of.stem = forms[1].word
	}
	found, known := x.missing(g, of)
	if known {
		return found, nil
	}
	words, err := x.initial(ctx, g, initial)
	if err != nil {
		return nil, err
	}
	words.near(forms, most, func(i int, word string, errors int) {
		found = append(found, likely{strings.Clone(word), errors, int(words.rows[i])})
	})
	x.keepMissing(g, of, found)
	return found, nil
}
