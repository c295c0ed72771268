// The files of the live page, put into the program by the C compiler. The package manager's own way (`embedInCode`)
// makes each byte a literal, and the Swift compiler takes half a minute to look at those.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
} flow_file;

extern const flow_file flow_index_html, flow_page_css, flow_page_js, flow_flow_js;
