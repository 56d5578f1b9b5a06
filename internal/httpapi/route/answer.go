package route

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// write sends rep. It encodes first, so that a failure is an error and not half an answer.
func (s *Server) write(w http.ResponseWriter, r *http.Request, rep Reply) error {
	answer := []byte(rep.Text)
	if rep.Media == "" {
		line, err := json.Marshal(rep.Body)
		if err != nil {
			return engram.Errorf(engram.CodeInternal, "cannot write the answer as JSON").WithCause(err)
		}
		answer, rep.Media = line, MediaJSON
	}
	if rep.Location != "" {
		w.Header().Set("Location", rep.Location)
	}
	if rep.Elsewhere != "" {
		w.Header().Set("Engram-Elsewhere", oneLine(rep.Elsewhere))
	}
	if len(rep.Degraded) > 0 {
		w.Header().Set("Engram-Degraded", oneLine(strings.Join(rep.Degraded, "; ")))
	}
	if rep.Status == 0 {
		rep.Status = http.StatusOK
	}
	s.Send(w, r, rep.Status, rep.Media, answer)
	return nil
}

// The media types of answers.
const (
	MediaJSON    = "application/json"
	MediaEvents  = "text/event-stream"
	MediaText    = "text/plain; charset=utf-8"
	MediaDOT     = "text/vnd.graphviz; charset=utf-8"
	MediaMermaid = "text/vnd.mermaid; charset=utf-8"
)

// Send answers with a line. Clients may keep the answer to a GET and revalidate it each time; they may not keep
// errors and answers to changes.
func (s *Server) Send(w http.ResponseWriter, r *http.Request, status int, media string, line []byte) {
	line = append(line, '\n')
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Vary", "Accept-Encoding")
	small := len(line) < gzipFrom || fromHere(r) || !wantsGzip(r.Header.Values("Accept-Encoding"))
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		tag := entityTag(line)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("ETag", `"`+tag+`"`)
		if !small {
			h.Set("ETag", `"`+tag+zipped+`"`)
		}
		if has(r.Header.Values("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	put := func(body []byte) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		if _, err := w.Write(body); err != nil {
			s.Log.Debug("the client left before its answer", "pattern", r.Pattern, "err", err)
		}
	}
	if small {
		put(line)
		return
	}
	err := s.zip.with(line, func(zipped []byte) {
		h.Set("Content-Encoding", "gzip")
		put(zipped)
	})
	if err != nil { // unreachable: a buffer takes everything
		s.Log.Error("an answer could not be compressed", "err", err)
	}
}

// oneLine makes s fit for a header.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// gzipFrom is the size in bytes from which an answer is compressed: below, it fits one packet anyway. Within
// the machine bytes cost less than packing them.
const gzipFrom = 1400

// compressors are kept between answers: creating one takes 800 kB.
type compressors struct{ pool sync.Pool }

type compressor struct {
	out bytes.Buffer
	zip *gzip.Writer
}

// with passes the compressed body to use, valid until use returns.
func (p *compressors) with(body []byte, use func(zipped []byte)) error {
	c, _ := p.pool.Get().(*compressor)
	if c == nil {
		c = &compressor{}
		var err error
		if c.zip, err = gzip.NewWriterLevel(&c.out, gzip.BestSpeed); err != nil {
			return err
		}
	}
	defer p.pool.Put(c)
	c.out.Reset()
	c.zip.Reset(&c.out)
	if _, err := c.zip.Write(body); err != nil {
		return err
	}
	if err := c.zip.Close(); err != nil {
		return err
	}
	use(c.out.Bytes())
	return nil
}

// wantsGzip reports whether the values of Accept-Encoding allow gzip and do not prefer identity. A name beats
// *, wherever it is.
func wantsGzip(acceptEncoding []string) bool {
	weights := map[string]float64{}
	for _, value := range acceptEncoding {
		for part := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "x-gzip" {
				name = "gzip"
			}
			weights[name] = weight(parameters)
		}
	}
	gzip, named := weights["gzip"]
	if !named {
		gzip = weights["*"]
	}
	return gzip > 0 && gzip >= weights["identity"]
}

// weight reads the q of a list element: 1 when absent, 0 when not a number.
func weight(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.ToLower(strings.TrimSpace(name)) != "q" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// zipped ends the entity tag of a compressed answer: a strong tag names the bytes sent.
const zipped = "-gzip"

// entityTag returns a strong entity tag for body, without quotes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// has reports whether a value of If-None-Match names the answer with this tag, compared weakly and regardless
// of compression.
func has(ifNoneMatch []string, tag string) bool {
	for _, value := range ifNoneMatch {
		for given := range strings.SplitSeq(value, ",") {
			given = strings.TrimPrefix(strings.TrimSpace(given), "W/")
			if given == "*" {
				return true
			}
			if len(given) >= 2 && given[0] == '"' && strings.TrimSuffix(strings.Trim(given, `"`), zipped) == tag {
				return true
			}
		}
	}
	return false
}
