package httpapi

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
	"sync"
)

// gzipFrom is how many bytes an answer must have to be compressed: what goes into one
// packet as it is gains nothing.
const gzipFrom = 1400

// compressors are kept between answers: one takes 800 kB to make.
type compressors struct{ pool sync.Pool }

type compressor struct {
	out bytes.Buffer
	zip *gzip.Writer
}

// with hands body to use, compressed; what use gets is good until it returns.
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

// wantsGzip reports whether the values of Accept-Encoding allow gzip, and do not rather
// have nothing done. A name beats *, whatever its place.
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

// weight reads the q of a list's element: 1 when there is none, 0 when it is no number.
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
