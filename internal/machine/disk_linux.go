package machine

import "syscall"

// permissions reports that file modes matter here.
const permissions = true

// disk returns the bytes that this user may still write at dir, and the kind of its file system; ""
// for an unknown one.
func disk(dir string) (free int64, kind string, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1, "", err
	}
	// Type has 32 bits on some machines and a sign on others.
	return int64(s.Bavail) * int64(s.Bsize), kinds()[uint32(s.Type)], nil
}

// kinds are common file systems and those unfit for a database, by magic number.
//
// Source: statfs(2), linux/magic.h.
func kinds() map[uint32]string {
	return map[uint32]string{
		0x6969: "nfs", 0x517B: "smb", 0xFF534D42: "smb", 0xFE534D42: "smb", 0x65735546: "fuse", 0x01021997: "9p",
		0x5346414F: "afs", 0x6B414653: "afs", 0x00C36400: "ceph", 0x73757245: "coda", 0x564C: "ncp", 0x01161970: "gfs",
		0x0BD00BD0: "lustre", 0x786F4256: "vboxsf", 0xEF53: "ext", 0x9123683E: "btrfs", 0x58465342: "xfs", 0x2FC12FC1: "zfs",
		0x01021994: "tmpfs", 0x794C7630: "overlay", 0xF2F52010: "f2fs",
	}
}
