// All of it stands in the header, to be compiled into whoever calls it.
#include "CVectors.h"
