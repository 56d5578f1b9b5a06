// Package provider implements engram.Embedder and engram.Reranker over servers of models that a person has configured:
// Ollama, and those with the API of OpenAI, such as LM Studio, llama.cpp, vLLM, TEI and Infinity.
//
// An Embedder (embed.go) sends texts in batches and learns from the first answer how many numbers a vector has. What
// a server says is checked (answer.go): count, order, length, numbers that are finite. ollama.go and openai.go have the
// two protocols, rerank.go the reranker. A server that is down is not asked again for a while (breaker.go).
package provider

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// API is a protocol of servers.
type API string

// The protocols.
const (
	Ollama API = "ollama"
	OpenAI API = "openai"
)

// The addresses at which servers listen by default: Ollama, and LM Studio.
const (
	DefaultOllama = "http://localhost:11434"
	DefaultOpenAI = "http://localhost:1234/v1"
)

// Options configure an Embedder or a Reranker. API, Model and Now are required.
type Options struct {
	API   API
	Model string // its name at the server
	URL   string // "" is the protocol's default. One of OpenAI's without a path is asked under /v1 first
	Key   string // sent as a bearer token; "" sends none
	// Prefixes go before texts, by their role.
	Prefixes prefix.Set
	// Marks say what cosines of the model mean; its Name, Fingerprint and Dimensions do not count.
	Marks engram.Model
	// Fitted returns the model with marks that were fitted to its fingerprint, once that is known; nil for none.
	Fitted func(engram.Model) engram.Model
	Now    func() time.Time
	// Clean is applied to every text before it is sent; nil sends it as it is.
	Clean func(string) string
	// State is a file that tells other processes that the server is down; "" for none.
	State string

	Question time.Duration // bounds what a question waits; 0 is 5 s
	Batch    time.Duration // bounds a request with memories, and a reranking; 0 is 30 s
	First    time.Duration // bounds the first request with memories, for which the server loads the model; 0 is 2 min
	Pause    time.Duration // precedes the second try, twice that the third; 0 is half a second
}

// sent is what of a text is sent: at most n bytes, cleaned.
func (o Options) sent(text string, n int) string {
	if text = strings.TrimSpace(strings.ToValidUTF8(text, " ")); o.Clean != nil {
		text = o.Clean(text)
	}
	return clip(text, n)
}

// maxAnswer is the most bytes of an answer: several times 32 vectors of the longest models.
const maxAnswer = 10 << 20

// Name is how people name a server's model: ollama:bge-m3.
func (o Options) Name() string { return string(o.API) + ":" + o.Model }

// client opens the way to the server: what the model is for, and the settings that errors name.
func (o Options) client(what, setting string) (*endpoint.Client, error) {
	if strings.TrimSpace(o.Model) == "" {
		return nil, engram.Errorf(engram.CodeInvalid, "the %s has no name", what).WithHint("use %s:MODEL", o.API)
	}
	like := DefaultOllama
	if o.API == OpenAI {
		like = DefaultOpenAI
	}
	return endpoint.New(endpoint.Options{Base: cmp.Or(strings.TrimSpace(o.URL), like), Key: o.Key, Pause: o.Pause, Limit: maxAnswer, Keep: true,
		Naming: endpoint.Naming{Model: what, Address: setting, Name: setting, Key: "ENGRAM_EMBEDDING_API_KEY", Like: like}})
}

// within bounds a question: by its budget, and by half of what is left of ctx, so that there is time to answer without
// it. short reports that ctx decided.
func within(ctx context.Context, now time.Time, budget time.Duration) (d time.Duration, short bool) {
	if end, ok := ctx.Deadline(); ok {
		if left := end.Sub(now) / 2; left < budget {
			return max(left, time.Millisecond), true
		}
	}
	return budget, false
}

// A call is where a server has an operation.
type call struct {
	path  string
	other bool // its second form
}

// calls are the places to try, until one is found.
type calls struct {
	all   []call
	known atomic.Int32 // place of the one that has answered, from 1; 0 for none
}

// first runs do for each place until the server has the operation. The error is the first that says more than that it is
// not there.
func (c *calls) first(do func(call) error) (err error) {
	if n := c.known.Load(); n > 0 {
		return do(c.all[n-1])
	}
	for i, place := range c.all {
		now := do(place)
		if now == nil {
			c.known.Store(int32(i + 1))
			return nil
		}
		s, absent := endpoint.RefusalOf(now), isAbsent(now)
		if err == nil || !absent && isAbsent(err) {
			err = now
		}
		otherForm := i+1 < len(c.all) && c.all[i+1].path == place.path && s != nil && (s.Code == 400 || s.Code == 422)
		if !absent && !otherForm {
			return err
		}
	}
	return err
}

func isAbsent(err error) bool {
	s := endpoint.RefusalOf(err)
	return s != nil && (s.Code == 404 || s.Code == 405)
}

// hasPath reports whether an address names more than a server.
func hasPath(base string) bool {
	u, err := url.Parse(base)
	return err == nil && strings.Trim(u.Path, "/") != ""
}
