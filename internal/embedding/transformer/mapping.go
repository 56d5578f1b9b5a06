package transformer

import "os"

// A mapping is a file whose content is mapped into memory.
type mapping struct {
	file  *os.File
	data  []byte
	unmap func() error
}

// mapping maps a file of a model, of at most most bytes.
func (f folder) mapping(name string, most int64) (*mapping, error) {
	file, size, err := f.open(name, most)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		file.Close()
		return nil, invalid("the model's file %s is empty", name)
	}
	m := &mapping{file: file}
	if m.data, m.unmap, err = mapFile(file, size); err != nil {
		file.Close()
		return nil, invalid("the model's file %s cannot be read (%v)", name, err)
	}
	return m, nil
}

// whole reports whether the file still has its size. Reading a mapped file that was cut off would end the process.
func (m *mapping) whole() bool {
	if m == nil || m.file == nil {
		return true
	}
	info, err := m.file.Stat()
	return err == nil && info.Size() == int64(len(m.data))
}

// close ends the use of the content.
func (m *mapping) close() error {
	if m == nil || m.file == nil {
		return nil
	}
	err := m.unmap()
	if bad := m.file.Close(); err == nil {
		err = bad
	}
	return err
}
