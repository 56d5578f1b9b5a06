package tokenizer

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Limits that no published tokenizer comes near, and without which a file could make every text slow.
const (
	maxTokens  = 1 << 21
	maxPiece   = 1 << 10 // bytes
	maxWord    = 1 << 10 // runes of a word that WordPiece looks up
	maxPattern = 1 << 10 // bytes
	maxAdded   = 1 << 10
	maxSteps   = 16 // normalizers or pre-tokenizers in a sequence
	maxReplace = 64 // bytes of a replacement
	maxGrowth  = 32 // times that a text may grow by being normalised; the longest ligature of Unicode grows 11 times
)

// document is tokenizer.json, as far as it matters. Its truncation and padding are those of somebody's training: the caller
// has its own limit.
type document struct {
	Added []struct {
		ID         int64
		Content    string
		SingleWord bool `json:"single_word"`
		Left       bool `json:"lstrip"`
		Right      bool `json:"rstrip"`
		Normalized bool
	} `json:"added_tokens"`
	Normalizer    *component
	PreTokenizer  *component     `json:"pre_tokenizer"`
	PostProcessor *postProcessor `json:"post_processor"`
	Model         struct {
		Type         string
		Vocab        json.RawMessage
		Unknown      string `json:"unk_token"`
		UnknownID    *int64 `json:"unk_id"`
		Prefix       string `json:"continuing_subword_prefix"`
		Limit        *int   `json:"max_input_chars_per_word"`
		ByteFallback bool   `json:"byte_fallback"`
	}
}

// component is a normalizer or a pre-tokenizer of any type.
type component struct {
	Type          string
	Normalizers   []component
	PreTokenizers []component
	Charsmap      []byte `json:"precompiled_charsmap"`
	Pattern       struct{ String, Regex *string }
	Content       string
	Clean         bool   `json:"clean_text"`
	CJK           bool   `json:"handle_chinese_chars"`
	StripAccents  *bool  `json:"strip_accents"`
	Lower         bool   `json:"lowercase"`
	Replacement   string // of a blank
	AddPrefix     *bool  `json:"add_prefix_space"`
	Prepend       string `json:"prepend_scheme"`
	Split         *bool
}

type postProcessor struct {
	Type         string
	Single, Pair []map[string]struct {
		ID   string
		Type int32 `json:"type_id"`
	}
	SpecialTokens map[string]struct{ IDs []int64 } `json:"special_tokens"`
	Sep, Cls      [2]any
}

func invalid(format string, args ...any) error {
	return engram.Errorf(engram.CodeInvalid, "the tokenizer file "+format, args...).
		WithHint("use a BERT or XLM-RoBERTa model with its own tokenizer.json")
}

// foreign refuses a part of the file by the name of its type.
func foreign(part, kind, supported string) error {
	return invalid("has the %s %.60q, which is not supported; %s", part, kind, supported)
}

// Read returns the tokenizer that a tokenizer.json describes; CodeInvalid where it is damaged or asks for what this package
// does not have.
func Read(file []byte) (*Tokenizer, error) {
	var d document
	if err := json.Unmarshal(file, &d); err != nil {
		return nil, invalid("is not what it should be (%v)", err)
	}
	t := &Tokenizer{special: map[int32]bool{}}
	var err error
	if t.normalise, err = normalizers(d.Normalizer); err != nil {
		return nil, err
	}
	if t.split, err = splitters(d.PreTokenizer); err != nil {
		return nil, err
	}
	switch d.Model.Type {
	case "WordPiece":
		err = t.wordPiece(&d)
	case "Unigram":
		err = t.unigram(&d)
	default:
		err = foreign("model", d.Model.Type, "WordPiece and Unigram are")
	}
	if err != nil {
		return nil, err
	}
	if err := t.addTokens(&d); err != nil {
		return nil, err
	}
	return t, t.templates(d.PostProcessor)
}

// id checks an id and lets the size grow to it.
func (t *Tokenizer) id(id int64, token string) (int32, error) {
	if id < 0 || id >= maxTokens {
		return 0, invalid("gives %.60q the id %d", token, id)
	}
	t.size = max(t.size, int(id)+1)
	return int32(id), nil
}

func (t *Tokenizer) wordPiece(d *document) error {
	var vocab map[string]int64
	if err := json.Unmarshal(d.Model.Vocab, &vocab); err != nil {
		return invalid("has a vocabulary that is not what it should be (%v)", err)
	}
	w := &wordPiece{starts: make(map[string]int32, len(vocab)), continues: map[string]int32{}, limit: 100}
	if d.Model.Limit != nil {
		w.limit = *d.Model.Limit
	}
	switch {
	case w.limit < 1 || w.limit > maxWord:
		return invalid("allows words of %d characters", w.limit)
	case d.Model.Prefix == "":
		return invalid("has no prefix for pieces inside a word")
	}
	for token, number := range vocab {
		id, err := t.id(number, token)
		if err != nil {
			return err
		}
		if len(token) > maxPiece {
			return invalid("has a piece of %d bytes", len(token))
		}
		w.longest = max(w.longest, len(token))
		w.starts[token] = id
		if rest, ok := strings.CutPrefix(token, d.Model.Prefix); ok {
			w.continues[rest] = id
		}
	}
	unknown, ok := w.starts[d.Model.Unknown]
	if !ok {
		return invalid("has no token %.60q for unknown words", d.Model.Unknown)
	}
	w.unknown, t.model = unknown, w
	return nil
}

func (t *Tokenizer) unigram(d *document) error {
	vocab, err := pieces(d.Model.Vocab)
	if err != nil {
		return invalid("has a vocabulary that is not what it should be (%v)", err)
	}
	unknown := d.Model.UnknownID
	switch {
	case len(vocab) > maxTokens:
		return invalid("has %d tokens", len(vocab))
	case d.Model.ByteFallback:
		return foreign("setting", "byte_fallback", "unknown characters become the unknown token")
	case unknown == nil || *unknown < 0 || *unknown >= int64(len(vocab)):
		return invalid("has no token for unknown characters")
	}
	u := &unigram{ids: make(map[string]int32, len(vocab)), scores: make([]float64, len(vocab)), unknown: int32(*unknown)}
	lowest := math.Inf(1)
	for i, piece := range vocab {
		if len(piece.text) > maxPiece {
			return invalid("has a piece of %d bytes", len(piece.text))
		}
		if math.IsNaN(piece.score) || math.IsInf(piece.score, 0) {
			return invalid("gives %.60q the score %v", piece.text, piece.score)
		}
		u.scores[i] = piece.score
		if _, twice := u.ids[piece.text]; !twice && piece.text != "" {
			u.ids[piece.text] = int32(i)
		}
		u.longest = max(u.longest, len(piece.text))
		lowest = min(lowest, piece.score)
	}
	u.penalty, t.model, t.size = lowest-unknownPenalty, u, len(vocab)
	return nil
}

func (t *Tokenizer) addTokens(d *document) error {
	if len(d.Added) > maxAdded {
		return invalid("has %d added tokens", len(d.Added))
	}
	for _, a := range d.Added {
		id, err := t.id(a.ID, a.Content)
		switch {
		case err != nil:
			return err
		case a.Content == "" || len(a.Content) > maxPiece:
			return invalid("has an added token of %d bytes", len(a.Content))
		case a.SingleWord:
			return foreign("setting", "single_word", "added tokens are found anywhere")
		}
		t.special[id] = true
		token := addedToken{text: a.Content, id: id, left: a.Left, tail: a.Right}
		if !a.Normalized {
			t.added.add(token)
			continue
		}
		for _, f := range t.normalise {
			token.text = f(token.text)
		}
		if token.text != "" {
			t.normalised.add(token)
		}
	}
	return nil
}

// sequence returns c's parts where it is a sequence, else c alone.
func sequence(c component, parts []component) ([]component, error) {
	if c.Type != "Sequence" {
		return []component{c}, nil
	}
	if len(parts) > maxSteps {
		return nil, invalid("has a sequence of %d steps", len(parts))
	}
	return parts, nil
}

func normalizers(c *component) (all []func(string) string, err error) {
	if c == nil {
		return nil, nil
	}
	parts, err := sequence(*c, c.Normalizers)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		f, err := normalizer(p)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func normalizer(c component) (func(string) string, error) {
	switch c.Type {
	case "BertNormalizer":
		b := bert{clean: c.Clean, cjk: c.CJK, strip: c.Lower, lower: c.Lower}
		if c.StripAccents != nil {
			b.strip = *c.StripAccents
		}
		return b.normalise, nil
	case "Precompiled":
		m, err := newCharsmap(c.Charsmap)
		if err != nil {
			return nil, err
		}
		return m.normalise, nil
	case "Replace":
		return replace(c)
	}
	return nil, foreign("normalizer", c.Type, "BertNormalizer, Precompiled, Replace and a sequence of them are")
}

func replace(c component) (func(string) string, error) {
	switch {
	case len(c.Content) > maxReplace:
		return nil, invalid("replaces by a text of %d bytes", len(c.Content))
	case c.Pattern.String != nil && *c.Pattern.String != "":
		return func(s string) string { return strings.ReplaceAll(s, *c.Pattern.String, c.Content) }, nil
	case c.Pattern.Regex == nil || len(*c.Pattern.Regex) > maxPattern:
		return nil, invalid("replaces without a pattern, or with one of more than %d bytes", maxPattern)
	}
	pattern, err := regexp.Compile(*c.Pattern.Regex)
	if err != nil {
		return nil, foreign("pattern", *c.Pattern.Regex, "regular expressions of RE2 are")
	}
	return func(s string) string { return pattern.ReplaceAllLiteralString(s, c.Content) }, nil
}

func splitters(c *component) (all []splitter, err error) {
	if c == nil {
		return nil, invalid("has no pre-tokenizer")
	}
	parts, err := sequence(*c, c.PreTokenizers)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		switch p.Type {
		case "BertPreTokenizer":
			all = append(all, splitWords)
		case "WhitespaceSplit":
			all = append(all, splitBlanks)
		case "Metaspace":
			m := metaspace{mark: p.Replacement, prepend: p.Prepend, cut: p.Split == nil || *p.Split}
			if m.prepend == "" { // older files have a switch
				m.prepend = "always"
				if p.AddPrefix != nil && !*p.AddPrefix {
					m.prepend = "never"
				}
			}
			if utf8.RuneCountInString(m.mark) != 1 || m.prepend != "always" && m.prepend != "first" && m.prepend != "never" {
				return nil, foreign("Metaspace setting", m.mark+" "+m.prepend, "one character and always, first or never are")
			}
			all = append(all, m.split)
		default:
			return nil, foreign("pre-tokenizer", p.Type, "BertPreTokenizer, Metaspace, WhitespaceSplit and a sequence of them are")
		}
	}
	return all, nil
}

// templates reads how special tokens surround texts.
func (t *Tokenizer) templates(p *postProcessor) (err error) {
	if p == nil {
		return invalid("does not say which special tokens surround a text")
	}
	switch p.Type {
	case "TemplateProcessing":
		if t.single, err = t.template(p, p.Single, 1); err == nil {
			t.pair, err = t.template(p, p.Pair, 2)
		}
		return err
	case "BertProcessing", "RobertaProcessing":
		cls, err := t.named(p.Cls)
		if err != nil {
			return err
		}
		sep, err := t.named(p.Sep)
		if err != nil {
			return err
		}
		end := slot{-1, sep, 0}
		t.single = template{{-1, cls, 0}, {0, 0, 0}, end}
		if t.pair = append(t.single[:3:3], slot{1, 0, 1}, slot{-1, sep, 1}); p.Type == "RobertaProcessing" {
			t.pair = append(t.single[:3:3], end, slot{1, 0, 0}, end)
		}
		return nil
	}
	return foreign("post-processor", p.Type, "TemplateProcessing, BertProcessing and RobertaProcessing are")
}

// named reads ["[SEP]", 102].
func (t *Tokenizer) named(pair [2]any) (int32, error) {
	name, _ := pair[0].(string)
	id, ok := pair[1].(float64)
	if !ok || id != math.Trunc(id) || math.Abs(id) > maxTokens {
		return 0, invalid("has no id for the special token %.60q", name)
	}
	return t.id(int64(id), name)
}

func (t *Tokenizer) template(p *postProcessor, slots []map[string]struct {
	ID   string
	Type int32 `json:"type_id"`
}, texts int) (out template, err error) {
	found := 0
	for _, s := range slots {
		if special, ok := s["SpecialToken"]; ok {
			ids := p.SpecialTokens[special.ID].IDs
			if len(ids) != 1 {
				return nil, invalid("has %d ids for the special token %.60q", len(ids), special.ID)
			}
			id, err := t.id(ids[0], special.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, slot{-1, id, special.Type})
		}
		if text, ok := s["Sequence"]; ok {
			n := strings.Index("AB", text.ID)
			if n != found || text.ID == "" {
				return nil, invalid("has a template that puts text %.20q in place %d", text.ID, found)
			}
			found++
			out = append(out, slot{n, 0, text.Type})
		}
	}
	for _, s := range out {
		if s.kind < 0 || s.kind > 1 {
			return nil, invalid("has a token type %d", s.kind)
		}
	}
	if found != texts || len(out) > maxSteps {
		return nil, invalid("has a template for %d texts with %d", texts, found)
	}
	return out, nil
}
