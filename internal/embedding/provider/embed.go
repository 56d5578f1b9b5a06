package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// Bounds of a request, and of a text: longer than the models read.
const (
	batchTexts = 32
	batchBytes = 256 << 10
	maxText    = 24 << 10
	// leastText is the length in bytes from which a text that the server refuses is not halved any more.
	leastText = 512
)

// versionAge is how long a model at its server is taken for the same.
const versionAge = 5 * time.Minute

// protocol asks a server. Vectors have length 1, and are one for each text.
type protocol interface {
	embed(ctx context.Context, texts []string, how endpoint.Call) ([][]float32, error)
	// version tells models of equal names apart; "" if the server does not.
	version(ctx context.Context, within time.Duration) (string, error)
}

// Embedder is an engram.Embedder for one model at one server. Close ends it.
type Embedder struct {
	o       Options
	server  *endpoint.Client
	speaks  protocol
	breaker breaker

	ctx    context.Context // ends with Close
	stop   context.CancelFunc
	done   sync.WaitGroup
	waking atomic.Bool // the server is being asked to load the model

	mu      sync.Mutex
	known   engram.Model // without a fingerprint until the first answer
	version string
	checked time.Time // when version was read; zero for never
}

const (
	embeddingModel = "embedding model"
	rerankingModel = "reranking model"
)

// New returns an Embedder without connecting. CodeInvalid for an address or a key that cannot be used.
func New(o Options) (*Embedder, error) {
	if o.API == OpenAI {
		o.URL = ofCall(o.URL, "/embeddings")
	} else {
		o.URL = ofCall(o.URL, "/api/embed", "/api")
	}
	server, err := o.client(embeddingModel, "embedding_model")
	if err != nil {
		return nil, err
	}
	e := &Embedder{o: o, server: server, breaker: breaker{path: o.State, now: o.Now}, known: o.unknown()}
	e.ctx, e.stop = context.WithCancel(context.Background())
	if e.speaks = newOllama(server, o.Model); o.API == OpenAI {
		e.speaks = newOpenAI(server, o.Model)
	}
	return e, nil
}

// unknown is the model before the first answer.
func (o Options) unknown() engram.Model {
	m := o.Marks
	m.Name, m.Fingerprint, m.Dimensions, m.Instant = o.Name(), "", 0, false
	return m
}

// Close closes connections.
func (e *Embedder) Close() error {
	e.stop()
	e.done.Wait()
	return e.server.Close()
}

// wake waits for the server in the background, longer than a question may: it may be loading the model, and give that up
// when the question does. An answer ends the server's rest.
func (e *Embedder) wake() {
	if e.ctx.Err() != nil || !e.waking.CompareAndSwap(false, true) {
		return
	}
	e.done.Go(func() {
		defer e.waking.Store(false)
		_, err := e.ask(e.ctx, []string{"engram"}, endpoint.Call{Tries: 1, Within: cmp.Or(e.o.First, 2*time.Minute)}, engram.RoleQuery)
		if err == nil {
			e.breaker.note(e.ctx, nil)
		}
	})
}

// Model describes the vectors. Fingerprint and Dimensions are those of the first answer; before it they are "" and 0.
func (e *Embedder) Model() engram.Model {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// Unusable is why questions are not sent now: the server did not answer lately. nil if they are.
func (e *Embedder) Unusable() error { return e.breaker.open(embeddingModel) }

// Embed returns one vector per text, with those of its passages behind it for a long memory. A blank text has the zero
// vector. Questions are not sent while the server is taken to be down; memories can wait, and always are. Errors are
// CodeUnavailable, or ctx's own when that has ended.
func (e *Embedder) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	how, short := endpoint.Call{Within: cmp.Or(e.o.Batch, 30*time.Second)}, false
	if role == engram.RoleQuery {
		if err := e.Unusable(); err != nil {
			return nil, err
		}
		how.Tries = 1
		how.Within, short = within(ctx, e.o.Now(), cmp.Or(e.o.Question, 5*time.Second))
	} else if e.Model().Fingerprint == "" {
		how.Within = cmp.Or(e.o.First, 2*time.Minute)
	}
	said, parts := make([]string, 0, len(texts)), make([]int, len(texts)) // at least one, from which the dimensions are known
	for i, text := range texts {
		if !blank(text) {
			all := e.o.said(text, role)
			said, parts[i] = append(said, all...), len(all)
		}
	}
	if len(said) == 0 && e.Model().Fingerprint == "" {
		said = append(said, "engram")
	}
	vectors, err := e.ask(ctx, said, how, role)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !short || err == nil {
		e.breaker.note(ctx, err)
	}
	if err != nil {
		if role == engram.RoleQuery && endpoint.IsLate(err) {
			e.wake()
		}
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, n := range parts {
		if n == 0 {
			out[i] = make([]float32, e.Model().Dimensions)
			continue
		}
		out[i], vectors = inPassages(vectors, n), vectors[n:]
	}
	return out, nil
}

func blank(text string) bool { return strings.TrimSpace(strings.ToValidUTF8(text, " ")) == "" }

// ask embeds texts in batches, and learns or checks the model.
func (e *Embedder) ask(ctx context.Context, texts []string, how endpoint.Call, role engram.Role) (vectors [][]float32, err error) {
	if err := e.recognise(ctx, how, role); err != nil {
		return nil, err
	}
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && n < batchTexts && (n == 0 || size+len(texts[n]) <= batchBytes) {
			size += len(texts[n])
			n++
		}
		vs, err := e.batch(ctx, texts[:n], how)
		if err != nil {
			return nil, err
		}
		for _, v := range vs {
			if err := e.learn(len(v)); err != nil {
				return nil, err
			}
		}
		vectors, texts = append(vectors, vs...), texts[n:]
		how.Within = min(how.Within, cmp.Or(e.o.Batch, 30*time.Second)) // the model is loaded
	}
	return vectors, nil
}

// batch embeds texts in one request. Where the server refuses them, they are sent in halves, and a long text is cut:
// one that a model cannot read must not keep others from their vectors.
func (e *Embedder) batch(ctx context.Context, texts []string, how endpoint.Call) ([][]float32, error) {
	vs, err := e.speaks.embed(ctx, texts, how)
	s := endpoint.RefusalOf(err)
	if s == nil || s.Code != 400 && s.Code != 413 && s.Code != 422 && s.Code != 500 { // 500 is llama.cpp's
		return vs, err
	}
	how.Tries = 1
	if len(texts) == 1 {
		if len(texts[0]) <= leastText {
			return nil, err
		}
		return e.batch(ctx, []string{clip(texts[0], len(texts[0])/2)}, how)
	}
	if slices.IndexFunc(texts, func(t string) bool { return len(t) > leastText }) < 0 {
		return nil, err // not for their length
	}
	first, err := e.batch(ctx, texts[:len(texts)/2], how)
	if err != nil {
		return nil, err
	}
	second, err := e.batch(ctx, texts[len(texts)/2:], how)
	return append(first, second...), err
}

// recognise reads the model's version, and again after a while before memories are embedded: another model of the name
// has another fingerprint.
func (e *Embedder) recognise(ctx context.Context, how endpoint.Call, role engram.Role) error {
	e.mu.Lock()
	now, checked := e.o.Now(), e.checked
	e.mu.Unlock()
	if !checked.IsZero() && (role == engram.RoleQuery || now.Sub(checked) < versionAge && !now.Before(checked)) {
		return nil
	}
	version, err := e.speaks.version(ctx, min(how.Within, cmp.Or(e.o.Question, 5*time.Second)))
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if version != e.version {
		e.known = e.o.unknown()
	}
	e.version, e.checked = version, now
	return nil
}

// learn takes the dimensions of the first vector for the model's, and refuses others.
func (e *Embedder) learn(dimensions int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch e.known.Dimensions {
	case dimensions:
	case 0:
		e.known.Dimensions = dimensions
		e.known.Fingerprint = fmt.Sprintf("%s@%s/%d%s", e.known.Name, e.version, dimensions, e.o.Prefixes.Mark())
		if e.o.Fitted != nil {
			e.known = e.o.Fitted(e.known)
		}
	default:
		return wrong(e.server, fmt.Errorf("a vector of the answer has %d numbers instead of %d", dimensions, e.known.Dimensions))
	}
	return nil
}

// wrong is an error about an answer that cannot be used; nil for nil.
func wrong(server *endpoint.Client, err error) error {
	if err == nil {
		return nil
	}
	return server.Unavailable("gave an answer that cannot be used", "use a model that embeds, and an address of its API").WithCause(err)
}

// clip returns the beginning of a text, at most n bytes and whole characters.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
