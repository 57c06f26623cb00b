// This file tells text in UTF-8 from files that hold text in another form, such as compressed files.

package logtext

import (
	"bytes"
	"fmt"
)

// otherForms are forms of files that are not read: the first bytes, what the form is, and how a user gets text from the file.
//
// References: RFC 8878 (Zstandard); RFC 1950 (zlib); the XZ file format; Parquet format, Apache Software Foundation.
var otherForms = []struct{ begin, form, remedy string }{
	{"\xff\xfe\x00\x00", "is in UTF-32", saveUTF8}, {"\x00\x00\xfe\xff", "is in UTF-32", saveUTF8},
	{"\x1f\x8b", "is compressed by gzip twice", "decompress it once: gzip -dc"},
	{"\xff\xfe", inUTF16, saveUTF8}, {"\xfe\xff", inUTF16, saveUTF8},
	{"\xfd7zXZ\x00", "is compressed by xz", "decompress it: xz -d"},
	{"\x28\xb5\x2f\xfd", byZstd, decompressZstd},
	{"BZh91AY&SY", "is compressed by bzip2", "decompress it: bzip2 -d"},
	{"\x04\x22\x4d\x18", "is compressed by lz4", "decompress it: lz4 -d"},
	{"\x02\x21\x4c\x18", "is compressed by lz4", "decompress it: lz4 -d"},
	{"LZIP\x01", "is compressed by lzip", "decompress it: lzip -d"},
	{"\x5d\x00\x00", "is compressed by lzma", "decompress it: xz -d --format=lzma"},
	{"\x78\x9c", byZlib, decompressZlib}, {"\x78\x01", byZlib, decompressZlib}, {"\x78\xda", byZlib, decompressZlib},
	{"Rar!\x1a\x07", "is an archive of RAR", "extract the file: unrar x"},
	{"7z\xbc\xaf\x27\x1c", "is an archive of 7-Zip", "extract the file: 7z x"},
	{"PK\x03\x04", isZip, extractZip}, {"PK\x05\x06", isZip, extractZip}, {"PK\x07\x08", isZip, extractZip},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a document of an old version of Excel or Word", "save the sheet as CSV"},
	{"\x89HDF\r\n\x1a\n", "is in HDF5", "write the table as CSV, for example with pandas"},
	{"ARROW1\x00\x00", "is a table in Arrow", "write it as CSV, for example with pandas"},
	{"\x1f\x9d", "is compressed by compress", "decompress it: gzip -d"},
	{"PAR1\x15", "is a table in Parquet", "convert it to CSV, for example with DuckDB"},
	{"%PDF-", "is a document in PDF", "save its table as CSV"},
	{"version https://git-lfs", "is a pointer of Git LFS to another file", "fetch the file: git lfs pull"},
	{"SQLite format 3\x00", "is a database of SQLite", "write the table as CSV: sqlite3 -header -csv"},
}

const (
	byZstd         = "is compressed by zstd"
	decompressZstd = "decompress it: zstd -d"
	byZlib         = "is compressed by zlib"
	decompressZlib = "decompress it: pigz -dz"
	isZip          = "is a zip archive, such as a spreadsheet"
	extractZip     = "extract the file, or save the sheet as CSV"

	inUTF16  = "is in UTF-16"
	saveUTF8 = "save it in the encoding UTF-8 (PowerShell: Out-File -Encoding utf8)"
)

// archiveMark stands in the first block of an archive of tar, at archiveMarkAt.
const (
	archiveMark   = "ustar"
	archiveMarkAt = 257
)

// otherForm returns an *[Error] if the beginning of a file shows a form that is not read, and nil otherwise.
func otherForm(file string, beginning []byte) error {
	if len(beginning) > archiveMarkAt && bytes.HasPrefix(beginning[archiveMarkAt:], []byte(archiveMark)) {
		return notText(file, "is an archive of tar", "extract the file: tar xf")
	}
	if isSkippable(beginning) {
		return notText(file, byZstd, decompressZstd)
	}
	for _, f := range otherForms {
		if bytes.HasPrefix(beginning, []byte(f.begin)) {
			return notText(file, f.form, f.remedy)
		}
	}
	if isUTF16(beginning) {
		return notText(file, inUTF16, saveUTF8)
	}
	return nil
}

// isSkippable reports whether a file begins with a skippable frame of zstd, as files do that several processors compressed.
func isSkippable(beginning []byte) bool {
	return len(beginning) >= 4 && beginning[0]&0xf0 == 0x50 && bytes.Equal(beginning[1:4], []byte("\x2a\x4d\x18"))
}

// notText returns the error of a file in a form that is not read.
func notText(file, form, remedy string) error {
	return &Error{File: file, Row: 1, Problem: fmt.Sprintf("the file %s; %s", form, remedy)}
}

// isUTF16 reports whether a text without a byte order mark is in UTF-16: every other byte of its beginning is 0, and the others
// are not.
func isUTF16(beginning []byte) bool {
	const characters = 8
	if len(beginning) < 2*characters {
		return false
	}
	zeros := [2]int{}
	for i, c := range beginning[:2*characters] {
		if c == 0 {
			zeros[i%2]++
		}
	}
	return zeros == [2]int{characters, 0} || zeros == [2]int{0, characters}
}
