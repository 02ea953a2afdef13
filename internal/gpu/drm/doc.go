// Package drm is what the direct rendering manager of Linux does for every GPU: it answers the requests that all
// drivers of render nodes share, and keeps what programs have by handle: buffers, synchronisation objects, and address
// spaces. A [Driver] answers its own requests.
//
// Numbers and structures are those of Linux' include/uapi/drm/drm.h.
package drm
